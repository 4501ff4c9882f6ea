// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension FixReport {
  /// Makes an empty report whose kind is a sentence formatter and a number.
  ///
  /// The number distinguishes several sentences of one formatter per epoch.
  init(formatter: StaticString, number: UInt8 = 0) {
    var packed: UInt32 = 0
    formatter.withUTF8Buffer { for byte in $0 { packed = packed &<< 8 | UInt32(byte) } }
    self.init(kind: ReportKind(rawValue: packed &<< 8 | UInt32(number)))
  }

  /// Returns the coordinate, or `nil` if latitude or longitude is missing.
  static func coordinate(_ latitude: Double?, _ longitude: Double?) -> Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
  }

  /// Sets whether there is a solution, according to the status and the mode indicator.
  ///
  /// Some receivers send a letter that NMEA 0183 does not define. The mode indicator then decides
  /// whether the report states no solution, or leaves the question to the other reports.
  private mutating func setSolution(_ status: PositionStatus?, _ mode: ModeIndicator?) {
    if status == .void || mode == .notValid {
      hasSolution = false
    } else if let status, status.isValid {
      hasSolution = true
    } else {
      switch mode {
      case .autonomous, .differential, .rtkFloat, .rtkFixed, .precise: isUndecided = true
      default: hasSolution = false
      }
    }
  }
}

extension FixReport {
  init(_ gga: GGA) {
    self.init(formatter: "GGA")
    timeOfDay = gga.time.flatMap(UTCTimeOfDay.init)
    coordinate = Self.coordinate(gga.latitudeDegrees, gga.longitudeDegrees)
    // Some receivers leave the quality empty for a valid position.
    hasSolution = gga.quality.map { $0 != .invalid } ?? (coordinate != nil)
    status = gga.quality.flatMap(FixStatus.init)
    satellitesUsed = gga.satellitesUsed.map(Int.init)
    dilution.horizontal = gga.horizontalDilution
    altitudeMetersAboveSeaLevel = gga.altitudeMetersAboveSeaLevel
    geoidSeparationMeters = gga.geoidSeparationMeters
    heightRank = 2
    correctionAgeSeconds = gga.correctionAgeSeconds
  }

  init(_ rmc: RMC) {
    self.init(formatter: "RMC")
    timeOfDay = rmc.time.flatMap(UTCTimeOfDay.init)
    date = rmc.date.flatMap(UTCDate.init)
    coordinate = Self.coordinate(rmc.latitudeDegrees, rmc.longitudeDegrees)
    setSolution(rmc.status, rmc.mode)
    status = rmc.mode.flatMap(FixStatus.init)
    speedMetersPerSecond = rmc.speedMetersPerSecond
    courseDegreesTrue = rmc.courseDegreesTrue
    // Receivers without a magnetic model send 0.0.
    if let variation = rmc.magneticVariationDegrees, variation != 0 {
      magneticVariationDegrees = variation
    }
    isSimulated = rmc.mode == .simulator
  }

  init(_ gll: GLL) {
    self.init(formatter: "GLL")
    joinsRoundedTimes = false
    timeOfDay = gll.time.flatMap(UTCTimeOfDay.init)
    coordinate = Self.coordinate(gll.latitudeDegrees, gll.longitudeDegrees)
    if gll.status == nil {
      hasSolution = coordinate != nil && gll.mode != .notValid
    } else {
      setSolution(gll.status, gll.mode)
    }
    status = gll.mode.flatMap(FixStatus.init)
    isSimulated = gll.mode == .simulator
  }

  init(_ gns: GNS) {
    self.init(formatter: "GNS")
    timeOfDay = gns.time.flatMap(UTCTimeOfDay.init)
    coordinate = Self.coordinate(gns.latitudeDegrees, gns.longitudeDegrees)
    let best = gns.bestMode
    hasSolution = best.map { $0 != .notValid } ?? (coordinate != nil)
    status = best.flatMap(FixStatus.init)
    satellitesUsed = gns.satellitesUsed.map(Int.init)
    dilution.horizontal = gns.horizontalDilution
    altitudeMetersAboveSeaLevel = gns.altitudeMetersAboveSeaLevel
    geoidSeparationMeters = gns.geoidSeparationMeters
    heightRank = 1
    correctionAgeSeconds = gns.correctionAgeSeconds
    isSimulated = best == .simulator
  }

  init(_ pubx: PUBX00) {
    self.init(formatter: "PUBX")
    timeOfDay = pubx.time.flatMap(UTCTimeOfDay.init)
    coordinate = Self.coordinate(pubx.latitudeDegrees, pubx.longitudeDegrees)
    let navigation = pubx.status.flatMap(UBloxStatus.init)
    hasSolution = navigation?.hasPosition ?? false
    mode = navigation?.mode
    status = navigation?.status
    altitudeMetersAboveEllipsoid = pubx.altitudeMetersAboveEllipsoid
    speedMetersPerSecond = pubx.speedMetersPerSecond
    courseDegreesTrue = pubx.courseDegreesTrue
    climbMetersPerSecond = pubx.climbMetersPerSecond
    satellitesUsed = pubx.satellitesUsed.map(Int.init)
    dilution.horizontal = pubx.horizontalDilution
    dilution.vertical = pubx.verticalDilution
    dilution.time = pubx.timeDilution
    correctionAgeSeconds = pubx.correctionAgeSeconds
    horizontalAccuracy = .horizontal(pubx.horizontalAccuracyMeters, percent: 68)
    verticalAccuracy = .vertical(pubx.verticalAccuracyMeters, percent: 68)
  }
}

extension FixReport {
  init(_ vtg: VTG) {
    self.init(formatter: "VTG")
    courseDegreesTrue = vtg.courseDegreesTrue
    speedMetersPerSecond = vtg.speedMetersPerSecond ?? vtg.speedFromKilometersMetersPerSecond
  }

  init(_ pgrmv: PGRMV) {
    self.init(formatter: "PGRV")
    climbMetersPerSecond = pgrmv.upMetersPerSecond
  }

  init(_ zda: ZDA) {
    self.init(formatter: "ZDA")
    timeOfDay = zda.time.flatMap(UTCTimeOfDay.init)
    date = zda.date.flatMap(UTCDate.init)
    beginsEpoch = false
  }
}

extension FixReport {
  init(_ gsa: GSA) {
    self.init(formatter: "GSA", number: gsa.systemID ?? 0)
    mode = gsa.mode.flatMap { FixMode(rawValue: UInt8(truncatingIfNeeded: $0)) }
    dilution.position = gsa.positionDilution
    dilution.horizontal = gsa.horizontalDilution
    dilution.vertical = gsa.verticalDilution
  }

  init(_ gst: GST) {
    self.init(formatter: "GST")
    timeOfDay = gst.time.flatMap(UTCTimeOfDay.init)
    horizontalAccuracy = .horizontal(
      deviations: gst.latitudeErrorMeters, gst.longitudeErrorMeters)
    verticalAccuracy = .vertical(gst.altitudeErrorMeters, percent: 68)
  }

  init(_ gbs: GBS) {
    self.init(formatter: "GBS")
    timeOfDay = gbs.time.flatMap(UTCTimeOfDay.init)
    horizontalAccuracy = .horizontal(
      deviations: gbs.latitudeErrorMeters, gbs.longitudeErrorMeters)
    verticalAccuracy = .vertical(gbs.altitudeErrorMeters, percent: 68)
  }

  init(_ pgrme: PGRME) {
    self.init(formatter: "PGRE")
    horizontalAccuracy = .horizontal(pgrme.horizontalErrorMeters, percent: 50)
    verticalAccuracy = .vertical(pgrme.verticalErrorMeters, percent: 50)
  }

  init(_ psrfepe: PSRFEPE) {
    self.init(formatter: "PSRF")
    timeOfDay = psrfepe.time.flatMap(UTCTimeOfDay.init)
    horizontalAccuracy = .horizontal(psrfepe.horizontalErrorMeters, percent: 68)
    verticalAccuracy = .vertical(psrfepe.verticalErrorMeters, percent: 68)
    // SiRF does not document the confidence; one standard deviation is the cautious assumption.
    if let error = psrfepe.speedErrorMetersPerSecond, error > 0 {
      speedAccuracyMetersPerSecond = error * 1.959_964
    }
    // The receiver sends 180 while it does not move and has no course.
    if let error = psrfepe.courseErrorDegrees, error > 0, error < 180 {
      courseAccuracyDegrees = min(error * 1.959_964, 180)
    }
  }

  init(_ pgrmz: PGRMZ) {
    self.init(formatter: "PGRZ")
    altitudeMetersAboveSeaLevel = pgrmz.altitudeMetersAboveSeaLevel
    isAltitudeCoarse = true
    // Mode 1 means that there is no altitude; the position may still be valid.
    if let raw = pgrmz.mode, raw > 1 { mode = FixMode(rawValue: UInt8(truncatingIfNeeded: raw)) }
  }
}
