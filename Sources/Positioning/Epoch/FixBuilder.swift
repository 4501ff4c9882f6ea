// SPDX-License-Identifier: Apache-2.0

/// Merges the reports of one epoch into a fix.
///
/// A later report replaces the values of earlier reports, as in gpsd, with these exceptions:
///
/// - For speed, course and horizontal dilution, a report that states a solution (RMC, GGA) takes
///   precedence over a report that states none (VTG, GSA).
/// - The most specific status is kept: RTK is preferred to differential, and differential to
///   autonomous.
/// - Of several reports of one kind (a GGA from each of two talkers), a report with a solution is
///   preferred, and otherwise the report with more satellites.
/// - The epoch has no solution if any kind of report states that there is none, such as an RMC with
///   a `V`.
/// - The highest mode is kept, and a coarse altitude never replaces a finer altitude.
/// - The altitude and the geoid separation of a GGA, or else of a GNS, take precedence. A height above the ellipsoid
///   that contradicts them is replaced by their sum: u-blox 7 sends 0 for a negative height.
/// - An error stated by the receiver replaces an estimate.
struct FixBuilder: Sendable {
  /// The time of the last report with a time; `nil` before that.
  private(set) var time: EpochTime?
  var timeOfDay: UTCTimeOfDay? { time?.timeOfDay }
  /// Whether the time is only from a clock report (ZDA).
  private(set) var isTimedByClock = false
  /// Whether a report with a slightly different time may belong to this epoch.
  private(set) var joinsRoundedTimes = false
  /// The time of arrival of the last report.
  var receivedAt: MonotonicTime?
  /// The time of arrival of the first report.
  private var firstReceivedAt: MonotonicTime?
  /// Whether a report concerns the solution; otherwise the epoch yields no fix.
  private(set) var isSolutionStated = false
  /// Whether a report without a time has stated that there is no solution.
  private(set) var hasVoidReport = false
  private var isSpeedStated = false
  private var isCourseStated = false
  private var isDilutionStated = false

  private var solutions = SolutionVotes()
  /// Whether at least one kind of report states a solution, and no kind states the opposite.
  var hasSolution: Bool { solutions.areUnanimous }
  private var modeStated: FixMode?
  private var isAltitudeCoarse = true
  /// The highest rank of a report that has stated altitude and geoid separation.
  private var heightRank: UInt8 = 0
  /// The maximum difference in metres between two statements of one height, both rounded to 0.1 m.
  private static let maxHeightRoundingMeters = 0.11
  /// The same difference if altitude and geoid separation are rounded to whole metres.
  private static let maxWholeHeightRoundingMeters = 1.1
  /// The merged values of the reports; the epoch's fix after ``build()``.
  var fix = Fix(mode: .none)

  /// Sets the time from a clock report (ZDA) that preceded the epoch.
  mutating func setTime(fromClock clock: UTCTimeOfDay) {
    time = EpochTime(timeOfDay: clock, talker: nil)
    isTimedByClock = true
  }

  mutating func merge(_ report: FixReport, receivedAt: MonotonicTime?) {
    self.receivedAt = receivedAt ?? self.receivedAt
    firstReceivedAt = firstReceivedAt ?? receivedAt
    if let stated = report.timeOfDay, report.beginsEpoch || time == nil {
      // Times of one epoch differ only by rounding. The last time is used, as in gpsd.
      time = EpochTime(timeOfDay: stated, talker: time?.talker ?? report.talker)
      isTimedByClock = !report.beginsEpoch
      joinsRoundedTimes = joinsRoundedTimes || report.joinsRoundedTimes
    }
    if report.concernsSolution { isSolutionStated = true }
    if let stated = report.hasSolution {
      if !stated, report.timeOfDay == nil { hasVoidReport = true }
      let vote = solutions.record(stated, of: report.kind)
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
    let statesSolution = report.concernsSolution
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
    mergeHeights(report)
  }

  private mutating func mergeHeights(_ report: FixReport) {
    fix.altitudeMetersAboveEllipsoid =
      report.altitudeMetersAboveEllipsoid ?? fix.altitudeMetersAboveEllipsoid
    guard report.heightRank >= heightRank else { return }
    if let altitude = report.altitudeMetersAboveSeaLevel,
      !report.isAltitudeCoarse || isAltitudeCoarse
    {
      fix.altitudeMetersAboveSeaLevel = altitude
      isAltitudeCoarse = report.isAltitudeCoarse
    }
    fix.geoidSeparationMeters = report.geoidSeparationMeters ?? fix.geoidSeparationMeters
    if report.altitudeMetersAboveSeaLevel != nil, report.geoidSeparationMeters != nil {
      heightRank = report.heightRank
    }
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
    let statesSolution = report.concernsSolution
    if isDilutionStated, !statesSolution {
      fix.dilution.horizontal = horizontal
    } else {
      isDilutionStated = statesSolution
    }
  }

  /// Completes the fix except for its time.
  ///
  /// Returns false if no report concerned the solution.
  mutating func build() -> Bool {
    guard isSolutionStated else { return false }
    fix.receivedAt = receivedAt
    fix.firstReceivedAt = firstReceivedAt
    fix.removeImplausibleValues()
    fix.mode = mode
    guard fix.mode > .none else {
      removePosition()
      return true
    }
    if fix.mode == .twoDimensional, modeStated == .twoDimensional { fix.removeAltitude() }
    removeContradictingHeight()
    fix.deriveAltitudes()
    fix.estimateErrors()
    return true
  }

  /// Removes a height above the ellipsoid that differs from the fixed heights by more than rounding.
  private mutating func removeContradictingHeight() {
    guard heightRank > 0, let ellipsoid = fix.altitudeMetersAboveEllipsoid,
      let altitude = fix.altitudeMetersAboveSeaLevel, let separation = fix.geoidSeparationMeters,
      abs(altitude + separation - ellipsoid) > maxRounding(altitude, separation)
    else { return }
    fix.altitudeMetersAboveEllipsoid = nil
  }

  private func maxRounding(_ altitude: Double, _ separation: Double) -> Double {
    altitude.rounded() == altitude && separation.rounded() == separation
      ? Self.maxWholeHeightRoundingMeters : Self.maxHeightRoundingMeters
  }

  /// The mode stated by the receiver, or else the mode inferred from the solution.
  private var mode: FixMode {
    guard fix.coordinate != nil, solutions.areUnanimous else { return .none }
    if let modeStated, modeStated > .none { return modeStated }
    // If two kinds of sentence have a solution, a GSA without a fix is ignored: the GSA may belong
    // to the next cycle.
    guard modeStated == nil || solutions.count > 1 else { return .none }
    // A three-dimensional solution needs four satellites; gpsd infers the mode in the same way.
    let isSolvable = fix.satellitesUsed.map { $0 >= 4 } ?? false
    let hasAltitude = fix.altitudeMetersAboveSeaLevel != nil
    return hasAltitude && isSolvable ? .threeDimensional : .twoDimensional
  }

  private mutating func removePosition() {
    var empty = Fix(mode: .none)
    empty.receivedAt = fix.receivedAt
    empty.firstReceivedAt = fix.firstReceivedAt
    empty.satellitesUsed = fix.satellitesUsed
    empty.isSimulated = fix.isSimulated
    fix = empty
  }
}
