// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// A browser that has opened a link; a client of the policy with the identity of the user who
/// created the link.
struct WebSession: Equatable, Sendable {
  /// The number in the audit log, never used for another session.
  var number: UInt64
  var client: ClientIdentity
  /// The name that the browser gives itself, which may be untrue; `nil` if it gives none.
  var browser: String?
  var end: MonotonicTime
}
