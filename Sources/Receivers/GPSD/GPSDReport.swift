// SPDX-License-Identifier: Apache-2.0

import Positioning

/// One line from gpsd, in the words of a fix.
enum GPSDReport: Equatable, Sendable {
  /// How gpsd introduces itself.
  case version(release: String, protocolMajor: Int, protocolMinor: Int)
  /// The receivers that gpsd has: all of them, unless there are more than libgps keeps.
  case devices([ReceiverInfo], isWhole: Bool = true)
  /// A receiver came, went, or turned out to be something.
  case device(ReceiverInfo)
  /// A TPV: one of several statements about an epoch.
  case position(device: String, FixReport)
  /// A SKY: dilutions, satellites, or both.
  case sky(device: String, GPSDSky)
  /// What gpsd thinks of a request.
  case error(String)
  /// A line that says nothing of use here, such as WATCH or PPS.
  case other
  /// A line that gpsd would not write: its beginning, as it came.
  case malformed(String)
}

/// One SKY of gpsd.
struct GPSDSky: Equatable, Sendable {
  /// When it was true; gpsd often leaves it out.
  var time: UTCTime?
  var dilution = Dilution()
  /// `nil` where there is no list, which is not the same as an empty one.
  var satellites: [Satellite]?
}
