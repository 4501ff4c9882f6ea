// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// What the daemon gives the server to tell those who may know.
package enum ServerEvent: Sendable {
  /// An epoch, with or without a position.
  case fix(Fix)
  /// The satellites; for full accuracy alone.
  case sky(SkyView)
  /// Nothing comes any more, from one receiver or from the whole source of that name.
  case lost(SourceLoss, source: String)
  /// Any other object of the command line's output.
  case object(ServerObject)
  /// What was kept of a class does not hold any more, about one subject or about all.
  case over(name: String, subject: String?)
}
