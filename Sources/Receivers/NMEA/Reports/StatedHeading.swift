// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// The heading that sentences have stated since the last fix, whichever talker they came from.
///
/// They carry no time, so they count to the fix that comes next. They never make a fix.
struct StatedHeading: Sendable {
  @Positioning.Known private var degreesTrue: Double?
  @Positioning.Known private var degreesMagnetic: Double?

  mutating func take(_ sentence: borrowing Sentence) {
    switch copy sentence {
    case .hdt(let hdt): degreesTrue = hdt.headingDegreesTrue ?? degreesTrue
    case .hdm(let hdm): degreesMagnetic = hdm.headingDegreesMagnetic ?? degreesMagnetic
    case .hdg(let hdg): take(hdg)
    // Typed in, simulated or declared invalid: nobody has measured those.
    case .ths(let ths) where ths.status == UInt8(ascii: "A") || ths.status == UInt8(ascii: "E"):
      degreesTrue = ths.headingDegreesTrue ?? degreesTrue
    default: break
    }
  }

  /// A sensor that states no deviation has corrected for it, or knows of none.
  private mutating func take(_ hdg: HDG) {
    guard let sensor = hdg.sensorHeadingDegrees else { return }
    let magnetic = Self.turned(sensor, by: hdg.deviationDegrees ?? 0)
    degreesMagnetic = magnetic
    if let variation = hdg.variationDegrees { degreesTrue = Self.turned(magnetic, by: variation) }
  }

  private static func turned(_ degrees: Double, by turn: Double) -> Double {
    let sum = (degrees + turn).truncatingRemainder(dividingBy: 360)
    return sum < 0 ? sum + 360 : sum
  }

  /// Gives what was stated to a fix, once.
  mutating func give(to fix: inout Fix) {
    fix.headingDegreesTrue = degreesTrue
    fix.headingDegreesMagnetic = degreesMagnetic
    self = StatedHeading()
  }
}
