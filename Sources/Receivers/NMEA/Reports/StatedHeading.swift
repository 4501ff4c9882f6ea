// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// The heading received since the last fix, from any talker.
///
/// Most heading sentences have no time, so the heading is added to the next fix. A heading sentence
/// alone does not produce a fix.
struct StatedHeading: Sendable {
  @Positioning.Known private var degreesTrue: Double?
  @Positioning.Known private var degreesMagnetic: Double?
  @Positioning.Known private var rollDegrees: Double?
  @Positioning.Known private var pitchDegrees: Double?

  mutating func take(_ sentence: borrowing Sentence) {
    switch copy sentence {
    case .hdt(let hdt): degreesTrue = hdt.headingDegreesTrue ?? degreesTrue
    case .hdm(let hdm): degreesMagnetic = hdm.headingDegreesMagnetic ?? degreesMagnetic
    case .hdg(let hdg): take(hdg)
    // Status A is autonomous, E estimated; other values (manual, simulated, invalid) are ignored.
    // Old compasses send no status.
    case .ths(let ths)
    where ths.status.map { $0 == UInt8(ascii: "A") || $0 == UInt8(ascii: "E") } ?? true:
      degreesTrue = ths.headingDegreesTrue ?? degreesTrue
    case .pashr(let pashr) where Self.isMeasured(pashr):
      set(pashr.headingDegreesTrue, roll: pashr.rollDegrees, pitch: pashr.pitchDegrees)
    case .hpr(let hpr) where hpr.quality.map(Self.isMeasured) ?? false:
      set(hpr.headingDegreesTrue, roll: hpr.rollDegrees, pitch: hpr.pitchDegrees)
    case .psti036(let psti) where psti.mode.map(Self.isMeasured) ?? false:
      set(psti.headingDegreesTrue, roll: psti.rollDegrees, pitch: psti.pitchDegrees)
    case .uniheadinga(let log)
    where log.solutionState == UNIHEADINGA.computed && log.solutionType != UNIHEADINGA.none:
      set(log.headingDegreesTrue, roll: nil, pitch: log.pitchDegrees)
    default: break
    }
  }

  /// Stores an attitude; without a heading, the roll and pitch are ignored, too.
  private mutating func set(_ heading: Double?, roll: Double?, pitch: Double?) {
    guard let heading else { return }
    degreesTrue = heading
    rollDegrees = roll ?? rollDegrees
    pitchDegrees = pitch ?? pitchDegrees
  }

  /// Whether a heading was measured; a sentence without any state of the solution does not deny it.
  private static func isMeasured(_ pashr: PASHR) -> Bool {
    if let ambiguity = pashr.ambiguityState { return ambiguity == 0 }
    guard pashr.quality != nil || pashr.inertialState != nil else { return true }
    return pashr.quality ?? 0 > 0 || pashr.inertialState == 1
  }

  private static func isMeasured(_ quality: FixQuality) -> Bool {
    quality != .invalid && quality != .manual && quality != .simulated
  }

  private static func isMeasured(_ mode: ModeIndicator) -> Bool {
    mode != .notValid && mode != .manual && mode != .simulator
  }

  /// Handles an HDG.
  ///
  /// A missing deviation is treated as 0: the sensor has corrected the heading, or has no estimate.
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

  /// Sets the heading of a fix and clears the stored heading.
  mutating func move(to fix: inout Fix) {
    fix.headingDegreesTrue = degreesTrue
    fix.headingDegreesMagnetic = degreesMagnetic
    fix.rollDegrees = rollDegrees
    fix.pitchDegrees = pitchDegrees
    self = StatedHeading()
  }
}
