// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning

/// What the daemon itself may know, and so what the sinks of its configuration get, where that is not
/// all that there is.
struct DaemonAuthorizationStatus: Equatable, Sendable {
  /// What is kept from them.
  enum Limit: String, Sendable {
    case nothing
    case reduced
  }

  var gets: Limit
  var status: AuthorizationStatus
  /// Which word decided.
  var because: String
  /// The command or the file that changes it; `nil` where there is none.
  var change: String?

  /// Looks at what the policy says.
  init?(_ standing: AuthorizationVerdict, of client: ClientIdentity, at places: PolicyPaths) {
    let told = standing.authorization
    guard !told.status.isAuthorized || told.accuracy != .fullAccuracy else { return nil }
    gets = told.status.isAuthorized ? .reduced : .nothing
    status = told.status
    because = "\(standing.origin)"
    switch standing.origin {
    case .lock(let rule): change = "edit \(rule.place)"
    case .brokenPolicy(let problem): change = "edit \(problem.place)"
    case .brokenStore: change = nil
    case .switchedOff: change = places.command(["fixcast", "auth", "reset", "everyone"])
    case .decision, .rule, .nobody:
      change = places.command(
        ["fixcast", "auth", "allow"] + client.evidence.words + ["--always"])
    }
  }

  /// In a few words, for the service manager's status.
  var summary: String {
    gets == .nothing ? "sinks get nothing: \(status)" : "sinks get reduced accuracy"
  }

  func append(to line: inout JSONLine) {
    line.beginObject("sinks")
    line.string("get", gets.rawValue)
    line.string("status", "\(status)")
    line.string("by", because)
    line.string("change", change)
    line.endObject()
  }
}
