// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// The limit that the daemon's own authorization sets for its sinks.
///
/// Only created while the daemon is not authorized with full accuracy.
struct DaemonAuthorizationStatus: Equatable, Sendable {
  /// The remaining access of the sinks: no locations, or locations with reduced accuracy.
  enum Limit: String, Sendable {
    case nothing
    case reduced
  }

  var limit: Limit
  var status: AuthorizationStatus
  /// The rule, decision or problem that causes the limit.
  var origin: String
  /// The advice for removing the limit: a command to run or a file to edit; `nil` if neither would
  /// help.
  var change: String?

  /// Creates the limit that results from a verdict; `nil` if the verdict grants full accuracy.
  init?(_ verdict: AuthorizationVerdict, of client: ClientIdentity, at places: PolicyPaths) {
    let authorization = verdict.authorization
    guard !authorization.status.isAuthorized || authorization.accuracy != .fullAccuracy else {
      return nil
    }
    limit = authorization.status.isAuthorized ? .reduced : .nothing
    status = authorization.status
    origin = verdict.origin.text(places.text)
    switch verdict.origin {
    case .lock(let rule): change = "edit \(rule.place)"
    case .brokenPolicy(let problem): change = "edit \(problem.place)"
    case .brokenStore: change = nil
    case .switchedOff: change = places.command(["fixcast", "auth", "reset", "everyone"])
    case .decision, .rule, .undecided:
      change = places.command(
        ["fixcast", "auth", "allow"] + places.words(client.evidence) + ["--always"])
    }
  }

  /// A short text for the service manager's status.
  var summary: String {
    limit == .nothing ? "sinks get nothing: \(status)" : "sinks get reduced accuracy"
  }

  func append(to line: inout JSONLine) {
    line.beginObject("sinks")
    line.string("get", limit.rawValue)
    line.string("status", "\(status)")
    line.string("by", origin)
    line.string("change", change)
    line.endObject()
  }
}
