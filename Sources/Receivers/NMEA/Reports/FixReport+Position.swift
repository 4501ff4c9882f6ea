// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

extension FixReport {
  init(_ gga: GGA) {
    self.init(formatter: "GGA")
    timeOfDay = gga.time.flatMap(UTCTimeOfDay.init)
    coordinate = Self.coordinate(gga.latitudeDegrees, gga.longitudeDegrees)
    // Some navigators leave the quality empty beside a good position.
    hasSolution = gga.quality.map { $0 != .invalid } ?? (coordinate != nil)
    status = gga.quality.flatMap(FixStatus.init)
    satellitesUsed = gga.satellitesUsed.map(Int.init)
    dilution.horizontal = gga.horizontalDilution
    altitudeMetersAboveSeaLevel = gga.altitudeMetersAboveSeaLevel
    geoidSeparationMeters = gga.geoidSeparationMeters
    correctionAgeSeconds = gga.correctionAgeSeconds
  }

  init(_ rmc: RMC) {
    self.init(formatter: "RMC")
    timeOfDay = rmc.time.flatMap(UTCTimeOfDay.init)
    date = rmc.date.flatMap(UTCDate.init)
    coordinate = Self.coordinate(rmc.latitudeDegrees, rmc.longitudeDegrees)
    hasSolution = rmc.isValid && rmc.mode != .notValid
    status = rmc.mode.flatMap(FixStatus.init)
    speedMetersPerSecond = rmc.speedMetersPerSecond
    courseDegreesTrue = rmc.courseDegreesTrue
    // Receivers without a model of the field send 0.0.
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
    hasSolution = (gll.isValid ?? (coordinate != nil)) && gll.mode != .notValid
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
