// SPDX-License-Identifier: Apache-2.0

/// Merges the reports of one epoch into a fix.
///
/// A later report overrules an earlier one where both say something, as in gpsd, except that
///
/// - of several of one kind (a GGA each of two talkers) one with a solution counts before one
///   without, and then the one of more satellites;
/// - there is a solution only where every kind that says so has one, in whatever order: one `V`
///   is enough to have none;
/// - of several modes the highest counts, and a coarse altitude never overrules a finer one;
/// - a receiver's own error overrules an estimate.
struct FixBuilder: Sendable {
  /// The time of day that all its reports share; `nil` before one has said it.
  var timeOfDay: UTCTimeOfDay?
  /// The date, where one of the reports has said it.
  var date: UTCDate?
  /// When the last report arrived.
  var receivedAt: MonotonicTime?
  /// Whether any report said whether there is a solution: without that it is no fix at all.
  private(set) var isStated = false

  private var solutions = SolutionVotes()
  /// Whether all that has been said so far is that there is a solution.
  var hasSolution: Bool { solutions.areUnanimous }
  private var modeStated: FixMode?
  private var isAltitudeCoarse = true
  private var fix = Fix(mode: .none)

  mutating func merge(_ report: FixReport, receivedAt: MonotonicTime?) {
    self.receivedAt = receivedAt ?? self.receivedAt
    timeOfDay = timeOfDay ?? (report.beginsEpoch ? report.timeOfDay : nil)
    date = report.date ?? date
    if let stated = report.hasSolution {
      isStated = true
      let vote = solutions.take(stated, of: report.kind)
      if vote == .outvoted || (vote == .repeated && isWorse(report)) { return }
    }
    if let mode = report.mode {
      isStated = true
      modeStated = max(mode, modeStated ?? mode)
    }
    mergePosition(report)
    fix.speedMetersPerSecond = report.speedMetersPerSecond ?? fix.speedMetersPerSecond
    fix.courseDegreesTrue = report.courseDegreesTrue ?? fix.courseDegreesTrue
    fix.climbMetersPerSecond = report.climbMetersPerSecond ?? fix.climbMetersPerSecond
    fix.magneticVariationDegrees =
      report.magneticVariationDegrees ?? fix.magneticVariationDegrees
    fix.speedAccuracyMetersPerSecond =
      report.speedAccuracyMetersPerSecond ?? fix.speedAccuracyMetersPerSecond
    fix.courseAccuracyDegrees = report.courseAccuracyDegrees ?? fix.courseAccuracyDegrees
    mergeQuality(report)
  }

  private func isWorse(_ report: FixReport) -> Bool {
    guard let satellites = report.satellitesUsed, let best = fix.satellitesUsed else {
      return false
    }
    return satellites < best
  }

  private mutating func mergePosition(_ report: FixReport) {
    fix.coordinate = report.coordinate ?? fix.coordinate
    if let altitude = report.altitudeMetersAboveSeaLevel,
      !report.isAltitudeCoarse || isAltitudeCoarse
    {
      fix.altitudeMetersAboveSeaLevel = altitude
      isAltitudeCoarse = report.isAltitudeCoarse
    }
    fix.altitudeMetersAboveEllipsoid =
      report.altitudeMetersAboveEllipsoid ?? fix.altitudeMetersAboveEllipsoid
    fix.geoidSeparationMeters = report.geoidSeparationMeters ?? fix.geoidSeparationMeters
  }

  private mutating func mergeQuality(_ report: FixReport) {
    fix.horizontalAccuracy = report.horizontalAccuracy ?? fix.horizontalAccuracy
    fix.verticalAccuracy = report.verticalAccuracy ?? fix.verticalAccuracy
    fix.dilution.merge(report.dilution)
    fix.satellitesUsed = report.satellitesUsed ?? fix.satellitesUsed
    fix.status = report.status ?? fix.status
    fix.correctionAgeSeconds = report.correctionAgeSeconds ?? fix.correctionAgeSeconds
    fix.isSimulated = fix.isSimulated || report.isSimulated
  }

  /// The fix, without its time; `nil` where no report said whether there is a solution.
  func build() -> Fix? {
    guard isStated else { return nil }
    var built = fix
    built.receivedAt = receivedAt
    built.mode = mode
    guard built.mode > .none else { return withoutPosition(built) }
    if built.mode == .twoDimensional, modeStated == .twoDimensional { built.withoutAltitude() }
    built.deriveAltitudes()
    built.estimateErrors()
    return built
  }

  /// The receiver's own word where it gave it; else by what it could solve for.
  private var mode: FixMode {
    guard fix.coordinate != nil, solutions.areUnanimous, modeStated != FixMode.none else {
      return .none
    }
    if let modeStated { return modeStated }
    // Three dimensions take four satellites; gpsd infers it in the same way.
    let isSolvable = fix.satellitesUsed.map { $0 >= 4 } ?? false
    let hasAltitude = fix.altitudeMetersAboveSeaLevel != nil
    return hasAltitude && isSolvable ? .threeDimensional : .twoDimensional
  }

  private func withoutPosition(_ fix: Fix) -> Fix {
    var empty = Fix(mode: .none)
    empty.receivedAt = fix.receivedAt
    empty.satellitesUsed = fix.satellitesUsed
    empty.isSimulated = fix.isSimulated
    return empty
  }
}
