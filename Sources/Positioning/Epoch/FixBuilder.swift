// SPDX-License-Identifier: Apache-2.0

/// Merges the reports of one epoch into a fix.
///
/// A later report overrules an earlier one where both say something, as in gpsd, except that
///
/// - a report that states a solution (RMC, GGA) outranks one that does not (VTG, GSA) in speed,
///   course and horizontal dilution;
/// - the most specific status counts: RTK before differential before autonomous;
/// - of several of one kind (a GGA each of two talkers) one with a solution counts before one
///   without, and then the one of more satellites;
/// - there is a solution only where every kind that says so has one, in whatever order: one `V`
///   is enough to have none;
/// - of several modes the highest counts, and a coarse altitude never overrules a finer one;
/// - a receiver's own error overrules an estimate.
struct FixBuilder: Sendable {
  /// The time of the last report with one; `nil` before that.
  private(set) var time: EpochTime?
  var timeOfDay: UTCTimeOfDay? { time?.timeOfDay }
  /// Whether only a clock's statement (ZDA) has given the time.
  private(set) var isTimedByClock = false
  /// Whether a report of another time may be about this epoch.
  private(set) var joinsRoundedTimes = false
  /// When the last report arrived.
  var receivedAt: MonotonicTime?
  /// Whether a report has stated a solution or its absence, without which an epoch makes no fix.
  private(set) var isStated = false
  private var isSpeedStated = false
  private var isCourseStated = false
  private var isDilutionStated = false

  private var solutions = SolutionVotes()
  /// Whether all that has been said so far is that there is a solution.
  var hasSolution: Bool { solutions.areUnanimous }
  private var modeStated: FixMode?
  private var isAltitudeCoarse = true
  /// The statements of the reports; the epoch's fix once ``build()`` has completed it.
  var fix = Fix(mode: .none)

  /// Takes the time from a clock's statement that came ahead of the epoch.
  mutating func time(by clock: UTCTimeOfDay) {
    time = EpochTime(timeOfDay: clock, talker: nil)
    isTimedByClock = true
  }

  mutating func merge(_ report: FixReport, receivedAt: MonotonicTime?) {
    self.receivedAt = receivedAt ?? self.receivedAt
    if let stated = report.timeOfDay, report.beginsEpoch || time == nil {
      // Times of one epoch differ by rounding only; gpsd, too, gives the last.
      time = EpochTime(timeOfDay: stated, talker: time?.talker ?? report.talker)
      isTimedByClock = !report.beginsEpoch
      joinsRoundedTimes = joinsRoundedTimes || report.joinsRoundedTimes
    }
    if let stated = report.hasSolution {
      isStated = true
      let vote = solutions.take(stated, of: report.kind)
      if vote == .outvoted || (vote == .repeated && isWorse(report)) { return }
    }
    if let mode = report.mode { modeStated = max(mode, modeStated ?? mode) }
    mergePosition(report)
    mergeMotion(report)
    fix.climbMetersPerSecond = report.climbMetersPerSecond ?? fix.climbMetersPerSecond
    fix.magneticVariationDegrees =
      report.magneticVariationDegrees ?? fix.magneticVariationDegrees
    mergeQuality(report)
  }

  private mutating func mergeMotion(_ report: FixReport) {
    let statesSolution = report.hasSolution != nil
    if let speed = report.speedMetersPerSecond, statesSolution || !isSpeedStated {
      fix.speedMetersPerSecond = speed
      isSpeedStated = statesSolution
    }
    if let course = report.courseDegreesTrue, statesSolution || !isCourseStated {
      fix.courseDegreesTrue = course
      isCourseStated = statesSolution
    }
    fix.speedAccuracyMetersPerSecond =
      report.speedAccuracyMetersPerSecond ?? fix.speedAccuracyMetersPerSecond
    fix.courseAccuracyDegrees = report.courseAccuracyDegrees ?? fix.courseAccuracyDegrees
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
    mergeDilution(report)
    fix.satellitesUsed = report.satellitesUsed ?? fix.satellitesUsed
    if let status = report.status, status.specificity >= fix.status?.specificity ?? 0 {
      fix.status = status
    }
    fix.correctionAgeSeconds = report.correctionAgeSeconds ?? fix.correctionAgeSeconds
    fix.isSimulated = fix.isSimulated || report.isSimulated
  }

  private mutating func mergeDilution(_ report: FixReport) {
    let horizontal = fix.dilution.horizontal
    fix.dilution.merge(report.dilution)
    guard report.dilution.horizontal != nil else { return }
    let statesSolution = report.hasSolution != nil
    if isDilutionStated, !statesSolution {
      fix.dilution.horizontal = horizontal
    } else {
      isDilutionStated = statesSolution
    }
  }

  /// Completes the fix but for its time; false where no report said whether there is a solution.
  mutating func build() -> Bool {
    guard isStated else { return false }
    fix.receivedAt = receivedAt
    fix.removeImplausibleValues()
    fix.mode = mode
    guard fix.mode > .none else {
      removePosition()
      return true
    }
    if fix.mode == .twoDimensional, modeStated == .twoDimensional { fix.withoutAltitude() }
    fix.deriveAltitudes()
    fix.estimateErrors()
    return true
  }

  /// The receiver's own word where it gave it; else by what it could solve for.
  private var mode: FixMode {
    guard fix.coordinate != nil, solutions.areUnanimous else { return .none }
    if let modeStated, modeStated > .none { return modeStated }
    // A GSA without a fix does not overrule two sentences with one: it may belong to the next cycle.
    guard modeStated == nil || solutions.count > 1 else { return .none }
    // Three dimensions take four satellites; gpsd infers it in the same way.
    let isSolvable = fix.satellitesUsed.map { $0 >= 4 } ?? false
    let hasAltitude = fix.altitudeMetersAboveSeaLevel != nil
    return hasAltitude && isSolvable ? .threeDimensional : .twoDimensional
  }

  private mutating func removePosition() {
    var empty = Fix(mode: .none)
    empty.receivedAt = fix.receivedAt
    empty.satellitesUsed = fix.satellitesUsed
    empty.isSimulated = fix.isSimulated
    fix = empty
  }
}
