// SPDX-License-Identifier: Apache-2.0

import Positioning

/// One line from gpsd, converted to this program's types.
enum GPSDReport: Equatable, Sendable {
  /// A VERSION: gpsd's greeting.
  case version(release: String, protocolMajor: Int, protocolMinor: Int)
  /// A DEVICES list. `isWhole` is false if gpsd listed more devices than libgps keeps.
  case devices([ReceiverInfo], isWhole: Bool = true)
  /// A DEVICE: a receiver was added, removed or identified.
  case device(ReceiverInfo)
  /// A TPV: one of possibly several reports of an epoch.
  case position(device: String, FixReport)
  /// A SKY: dilutions, satellites, or both.
  case sky(device: String, GPSDSky)
  /// An ERROR: gpsd rejected a request.
  case error(String)
  /// A line of an unused class, such as WATCH or PPS.
  case other
  /// A line that is not a gpsd object. Carries its beginning, unmodified.
  case malformed(String)
}

/// A SKY report of gpsd.
struct GPSDSky: Equatable, Sendable {
  /// The UTC time of the epoch; gpsd often omits it.
  var time: UTCTime?
  var dilution = Dilution()
  /// The satellites; `nil` if the report has no list, which differs from an empty list.
  var satellites: [Satellite]?
}
