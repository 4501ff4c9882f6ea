// SPDX-License-Identifier: Apache-2.0

import Positioning

/// One line from gpsd, converted to this program's types.
enum GPSDReport: Equatable, Sendable {
  /// A VERSION: gpsd's greeting, or that of Fixcast's own server.
  case version(
    release: String, protocolMajor: Int, protocolMinor: Int, isFixcast: Bool = false)
  /// A DEVICES list. `isComplete` is false if gpsd listed more devices than libgps keeps.
  case devices([ReceiverInfo], isComplete: Bool = true)
  /// A DEVICE: a receiver was added, removed or identified.
  case device(ReceiverInfo)
  /// A TPV: one of possibly several reports of an epoch.
  case position(device: String, FixReport)
  /// A SKY: dilutions, satellites, or both.
  case sky(device: String, GPSDSky)
  /// An ATT with a heading.
  case heading(GPSDHeading)
  /// An ERROR: gpsd rejected a request.
  case error(String)
  /// A line of an unused class, such as WATCH or PPS.
  case other
  /// A line that is not a gpsd object. Carries its beginning, unmodified.
  case malformed(String)
}

/// The heading in an ATT report of gpsd.
struct GPSDHeading: Equatable, Sendable {
  /// The device that measured the heading; empty if the report names none.
  var device: String
  var degreesTrue: Double?
  var degreesMagnetic: Double?
  var rollDegrees: Double?
  var pitchDegrees: Double?
}

/// A SKY report of gpsd.
struct GPSDSky: Equatable, Sendable {
  /// The UTC time of the epoch; gpsd often omits it.
  var time: UTCTime?
  var dilution = Dilution()
  /// The satellites; `nil` if the report has no list, which differs from an empty list.
  var satellites: [Satellite]?
}
