// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A decoded `ATT` object.
struct HeadingWire: Decodable {
  var device: String?
  var time: String?
  var heading: Double?
  var mheading: Double?
  var roll: Double?
  var pitch: Double?
  var simulated: Bool?
  var replayed: Bool?

  var value: Heading {
    Heading(
      degreesTrue: heading, degreesMagnetic: mheading, time: time.flatMap(WireTime.read),
      source: device, isSimulated: simulated ?? false, isReplayed: replayed ?? false,
      rollDegrees: roll, pitchDegrees: pitch)
  }
}
