// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The comparison of one epoch with gpsd's report, with the precision that gpsd prints.
struct EpochComparison {
  private(set) var disagreements: [Disagreement] = []
  /// The fields that both decoders report.
  private(set) var compared: Set<ComparedField> = []
  /// The fields that only gpsd reports: gpsd derives some speeds, courses and altitudes.
  private(set) var absent: Set<ComparedField> = []
  private let golden: GoldenEpoch

  init(_ fix: Fix, with golden: GoldenEpoch, in recording: Recording) {
    self.golden = golden
    let position = fix.coordinate
    compare(.latitude, position?.latitudeDegrees, golden.lat, tolerance: 2e-8)
    compare(.longitude, position?.longitudeDegrees, golden.lon, tolerance: 2e-8)
    // gpsd prefers the altitude of PGRMZ, in whole feet.
    compare(
      .altitude, fix.altitudeMetersAboveSeaLevel, golden.altMSL,
      tolerance: recording.hasAltitudeInFeet ? 0.31 : 5.1e-4)
    compare(.ellipsoidalHeight, fix.altitudeMetersAboveEllipsoid, golden.altHAE, tolerance: 6e-3)
    compare(.speed, fix.speedMetersPerSecond, golden.speed, tolerance: 6e-4)
    compare(.course, fix.courseDegreesTrue, golden.track, tolerance: 6e-3, turn: 360)
    compareDate(fix.time?.date)
    compareMode(fix.mode, acceptsTwoDimensions: recording.hasTwoDimensionalGSA)
    compareStatus(fix.status)
  }

  private mutating func compare(
    _ field: ComparedField, _ ours: Double?, _ theirs: Double?, tolerance: Double,
    turn: Double = .infinity
  ) {
    guard let theirs else { return }
    guard let ours else {
      absent.insert(field)
      if field == .latitude || field == .longitude { disagree(field, "none, gpsd: \(theirs)") }
      return
    }
    compared.insert(field)
    let difference = abs(ours - theirs)
    if min(difference, turn - difference) > tolerance {
      disagree(field, "\(ours), gpsd: \(theirs)")
    }
  }

  /// Compares the date.
  ///
  /// gpsd 3.22 adds 1,024 weeks to every date before 2017.
  private mutating func compareDate(_ ours: UTCDate?) {
    guard let theirs = golden.date else { return }
    guard let ours else { return disagree(.date, "none") }
    compared.insert(.date)
    guard ours != theirs, ours != theirs.adding(days: -1024 * 7) else { return }
    disagree(.date, "\(ours.civil), gpsd: \(theirs.civil)")
  }

  private mutating func compareMode(_ ours: FixMode, acceptsTwoDimensions: Bool) {
    compared.insert(.mode)
    // gpsd reports mode 3 if there is an altitude, even if GSA states mode 2. gpsd keeps mode 3 in
    // later epochs without an altitude.
    let acceptsTwoDimensions =
      acceptsTwoDimensions || (golden.altMSL == nil && golden.altHAE == nil)
    if acceptsTwoDimensions, ours == .twoDimensional, golden.mode == 3 { return }
    if Int(ours.rawValue) != golden.mode {
      disagree(.mode, "\(ours.rawValue), gpsd: \(golden.mode)")
    }
  }

  /// Compares the status.
  ///
  /// gpsd omits an unknown or autonomous status and has different rules for dead reckoning.
  private mutating func compareStatus(_ ours: FixStatus?) {
    guard let theirs = golden.status, (2...4).contains(theirs) else { return }
    compared.insert(.status)
    if ours.map({ Int($0.rawValue) }) != theirs {
      disagree(.status, "\(ours.map { "\($0)" } ?? "none"), gpsd: \(theirs)")
    }
  }

  private mutating func disagree(_ field: ComparedField, _ text: String) {
    disagreements.append(Disagreement(field: field, time: golden.time, text: text))
  }
}
