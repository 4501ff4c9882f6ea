// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

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
    // SiRF does not state the confidence; one standard deviation is the cautious reading.
    if let error = psrfepe.speedErrorMetersPerSecond, error > 0 {
      speedAccuracyMetersPerSecond = error * 1.959_964
    }
    // 180 is what the receiver sends while it stands still and has no course.
    if let error = psrfepe.courseErrorDegrees, error > 0, error < 180 {
      courseAccuracyDegrees = min(error * 1.959_964, 180)
    }
  }

  init(_ pgrmz: PGRMZ) {
    self.init(formatter: "PGRZ")
    altitudeMetersAboveSeaLevel = pgrmz.altitudeMetersAboveSeaLevel
    isAltitudeCoarse = true
    // 1 says that there is no altitude, not that there is no position.
    if let said = pgrmz.mode, said > 1 { mode = FixMode(rawValue: UInt8(truncatingIfNeeded: said)) }
  }
}
