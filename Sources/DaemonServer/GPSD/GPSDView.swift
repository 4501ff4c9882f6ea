// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A receiver in the device list of the gpsd server.
package struct GPSDDevice: Equatable, Sendable {
  package var receiver: ReceiverInfo
  /// The time at which the receiver was opened; `nil` if it is not being read.
  package var activated: UTCTime?

  package init(_ receiver: ReceiverInfo, activated: UTCTime?) {
    self.receiver = receiver
    self.activated = activated
  }
}

/// The values that a gpsd client may see at the time of a request.
///
/// The server core removes or reduces values that the client may not see.
package struct GPSDView: Equatable, Sendable {
  /// The active receivers, in the order in which they were found.
  package var devices: [GPSDDevice] = []
  /// The current fix; `nil` if there is none, or the client may not see it.
  package var fix: Fix?
  /// The satellites in view; `nil` if there are none, or the client may not see them.
  package var sky: SkyView?
  /// The current UTC time.
  package var now: UTCTime?
  /// The current time of the monotonic clock, for the age of the fix.
  package var monotonicNow: MonotonicTime?

  package init() {}
}
