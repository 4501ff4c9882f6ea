// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// One line of the log of who asked, who decided and what it was used for; never where the board
/// is.
package struct AuditEvent: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A program asked.
    case requested
    /// A request was answered by a rule or by an operator, or nobody answered in time.
    case decided
    /// Whoever asked was refused by what had been said before.
    case denied
    /// What held was taken away, by a decision, a lock, or because it ran out.
    case revoked
    case reset
    case switched
    case started
    /// The first location since the start.
    case firstFix
    case stopped
    /// Full accuracy for a while was given to a program that asked for it.
    case fullAccuracyBegan
    /// It is over or was taken back.
    case fullAccuracyEnded
    /// A program declared that it is active.
    case activityBegan
    /// It declared that it is no longer.
    case activityEnded
  }

  package var kind: Kind
  /// When, seconds since 1970 by the wall clock.
  package var utcSeconds: Int64
  package var client: String
  /// The process, where one did something.
  package var process: Int32?
  /// What was asked for.
  package var requested: AuthorizationRequest?
  /// Whether what was asked for, given or refused is full accuracy for a while.
  package var asksFullAccuracy = false
  /// What holds after it.
  package var authorization: Authorization?
  /// The word that decided, with file and line or number.
  package var decidedBy: String?
  /// The user who decided.
  package var byUser: UInt32?
  /// What for, or why, in the words of whoever did it.
  package var reason: String?
  package var service: LocationServiceKind?
  package var locationCount: UInt64?
  /// How many lines about this client were left out before this one, for coming too often.
  package var omittedCount: UInt64 = 0
  /// By which variables of the environment the files of authorization were moved elsewhere, such as
  /// `FIXCAST_ROOT=/tmp/board`; empty where they lie where they belong.
  package var overrides: [String] = []
  /// Whether it was a daemon that owns the receiver, and not the program itself, that saw to it.
  package var isEnforced = false

  package init(_ kind: Kind, at utcSeconds: Int64, client: String) {
    self.kind = kind
    self.utcSeconds = utcSeconds
    self.client = client
  }

  /// Whether it says what somebody has decided, or what came of that for a program; else what a
  /// program did, as often as it liked.
  var isDecision: Bool {
    switch kind {
    case .revoked, .reset, .switched: true
    // What a rule says to a request is said at each request.
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
