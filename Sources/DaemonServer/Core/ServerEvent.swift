// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// An event that the daemon publishes to authorized clients.
package enum ServerEvent: Sendable {
  /// An epoch, with or without a position.
  case fix(Fix)
  /// The sentences of an epoch as received, just before its fix; only for clients with full accuracy
  /// that read NMEA 0183.
  case sentences([UInt8], source: String)
  /// The satellites in view; only for clients with full accuracy.
  case sky(SkyView)
  /// A new or changed receiver, and the time at which it was reported.
  case receiver(ReceiverInfo, at: UTCTime?)
  /// The loss of one receiver, or of the source named `source` with all its receivers.
  case lost(SourceLoss, source: String)
  /// Any other object, in the format of the command-line output.
  case object(ServerObject)
  /// The stored objects with a class and a subject are no longer valid. If `subject` is `nil`, no
  /// object of the class is valid.
  case expired(name: String, subject: String?)
}
