// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// A line of the audit log about a request, a decision or a use; it never holds a position.
package struct AuditEvent: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A program made a request.
    case requested
    /// A request was answered by a rule or an operator, or timed out.
    case decided
    /// A program was refused because of an existing rule or decision.
    case denied
    /// An authorization was withdrawn by a decision or a lock, or expired.
    case revoked
    case reset
    case switched
    case started
    /// The first location since the start.
    case firstFix
    case stopped
    /// Temporary full accuracy was granted to a program that requested it.
    case fullAccuracyBegan
    /// Temporary full accuracy ended or was withdrawn.
    case fullAccuracyEnded
    /// A program declared an activity.
    case activityBegan
    /// A program ended an activity.
    case activityEnded
  }

  package var kind: Kind
  /// The wall-clock time in seconds since 1970.
  package var utcSeconds: Int64
  package var client: String
  /// The process that caused the event, if any.
  package var process: Int32?
  /// The requested authorization.
  package var requested: AuthorizationRequest?
  /// Whether the request or the answer concerns temporary full accuracy.
  package var asksFullAccuracy = false
  /// The authorization after the event.
  package var authorization: Authorization?
  /// The rule or decision that applied, with file and line or with its number.
  package var decidedBy: String?
  /// The user who decided.
  package var byUser: UInt32?
  /// The purpose or reason, as given by the program or operator.
  package var reason: String?
  package var service: LocationServiceKind?
  package var locationCount: UInt64?
  /// The number of lines about this client that the rate limit omitted before this one.
  package var omittedCount: UInt64 = 0
  /// The environment variables that moved the authorization files, such as
  /// `FIXCAST_ROOT=/tmp/board`; empty if the files are in their standard places.
  package var overrides: [String] = []
  /// Whether a daemon applied the policy; otherwise the program itself did.
  package var isEnforced = false

  package init(_ kind: Kind, at utcSeconds: Int64, client: String) {
    self.kind = kind
    self.utcSeconds = utcSeconds
    self.client = client
  }

  /// Whether the line records an operator's decision or its effect, not an action of a program.
  ///
  /// The two kinds of lines go to separate files, because a program can cause any number of lines
  /// about its own actions.
  var isDecision: Bool {
    switch kind {
    case .revoked, .reset, .switched: true
    // A request that a rule answered is an action of the program.
    case .decided: byUser != nil || requested == nil
    case .requested, .denied, .started, .firstFix, .stopped, .fullAccuracyBegan,
      .fullAccuracyEnded, .activityBegan, .activityEnded:
      false
    }
  }

  var bytes: [UInt8] {
    var line = JSONLine(reservingCapacity: 512)
    line.beginObject()
    line.constant("class", "AUDIT")
    line.time("time", UTCTime(secondsSince1970: utcSeconds))
    line.string("event", kind.rawValue)
    line.string("client", client)
    line.integer("pid", process.map(Int.init))
    line.string("requested", asksFullAccuracy ? "fullAccuracy" : requested?.rawValue)
    line.string("status", authorization.map { "\($0.status)" })
    if authorization?.accuracy == .reducedAccuracy { line.constant("accuracy", "reduced") }
    line.string("by", decidedBy)
    line.integer("uid", byUser.map(Int.init))
    line.string("reason", reason)
    line.string("service", service?.rawValue)
    line.integer("count", locationCount.map { Int(clamping: $0) })
    if omittedCount > 0 { line.integer("omitted", Int(clamping: omittedCount)) }
    if !overrides.isEmpty { line.string("override", overrides.joined(separator: " ")) }
    line.constant("mode", isEnforced ? "enforced" : "cooperative")
    line.endObject()
    line.endLine()
    return line.bytes
  }
}
