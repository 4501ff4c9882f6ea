// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// An event that the daemon publishes to authorized clients.
package enum ServerEvent: Sendable {
  /// An epoch, with or without a position.
  case fix(Fix)
  /// The satellites in view; only for clients with full accuracy.
  case sky(SkyView)
  /// The loss of one receiver, or of the whole source of that name.
  case lost(SourceLoss, source: String)
  /// Any other object of the command line's output.
  case object(ServerObject)
  /// The stored objects of a class are no longer valid: those about one subject, or all if `nil`.
  case expired(name: String, subject: String?)
}
