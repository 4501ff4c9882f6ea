// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

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
