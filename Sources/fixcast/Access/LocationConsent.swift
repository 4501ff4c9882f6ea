// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
import Plugins
import Positioning
internal import SystemSupport

/// Authorization of the user who runs a command that reads locations without the daemon.
///
/// A user with a shell on the board requests access by running the command. If no rule and no
/// decision has ever applied to that user, access is granted and nothing is stored. Otherwise the
/// command is treated like any program, also later in the run: a lock, a denial, the global
/// switch, reduced accuracy, and a rule that requires an operator's answer all apply. An expired
/// decision has to be renewed.
struct LocationConsent {
  private let purpose: String
  private let places: PolicyPaths
  private let client = ProcessEvidence().ownIdentity()
  /// Writes the log and consumes a one-time grant; `nil` until the request.
  private var policy: PolicyFiles?
  /// The requested level: a command is in use for as long as it runs.
  static let request = AuthorizationRequest.whenInUse
  private static let base = AuthorizationStatus.authorizedAlways

  /// Requests authorization, and waits for an operator's answer if a rule requires one.
  ///
  /// - Throws: `ExitCode` 77 if access is denied or not granted in time, 78 if a policy file or the
  ///   decisions cannot be read.
  init(purpose: String, timeout: Duration) async throws {
    self.purpose = purpose
    places = try AuthPathOptions.environmentPaths()
    try throwIfDenied(verdict())
    let policy = PolicyFiles(client: client, places: places, base: Self.base)
    self.policy = policy
    let updates = policy.updates()
    if await policy.answer(Self.request, purpose: purpose) == .pending {
      try await Self.wait(updates, timeout)
    }
    try throwIfDenied(self.verdict())
    policy.note(.started(.oneShot))
  }

  /// The policy that applies until the end of the run, for a command that keeps reading locations.
  var continuingPolicy: any AuthorizationPolicy {
    PolicyFiles(client: client, places: places, base: Self.base)
  }

  /// Checks access again, since access may have been revoked, and returns the fix with the accuracy
  /// that this user is granted.
  func authorizedFix(_ fix: Fix) async throws -> Fix {
    let verdict = verdict()
    try throwIfDenied(verdict)
    guard let policy else { return fix }
    let shown =
      verdict.authorization.accuracy == .reducedAccuracy
      ? await ReducedFix.of(fix, at: places) : fix
    guard let shown else {
      throw CommandFailure.temporary("reduced accuracy: no position is available yet")
    }
    policy.note(.firstLocation(.oneShot))
    policy.note(.stopped(.oneShot, locationCount: 1))
    await policy.flush()
    return shown
  }

  // A one-time grant is valid only for the policy object that consumed it.
  private func verdict() -> AuthorizationVerdict {
    if let policy { return policy.verdict(asking: Self.request) }
    return places.evaluation(base: Self.base)
      .verdict(on: client, asking: Self.request, at: .now())
  }

  private static func wait(
    _ updates: AsyncStream<AuthorizationUpdate>, _ timeout: Duration
  ) async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await update in updates {
          switch update {
          case .decided, .deniedGlobally, .refused, .lapsed: return
          case .fullAccuracyEnded, .mode: break
          }
        }
      }
      group.addTask { try? await Task.sleep(for: timeout) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Throws an error that names the command to allow access, if access is denied.
  private func throwIfDenied(_ verdict: AuthorizationVerdict) throws {
    let client = places.text(client.evidence)
    let origin = verdict.origin.text(places.text)
    let why = "\(client) may not know where the board is: \(origin)"
    switch verdict.origin {
    case .brokenPolicy(let problem): throw CommandFailure.configuration("\(problem)")
    case .brokenStore(let error) where error.isPermission:
      throw CommandFailure.notPermitted(
        "\(client) may not know where the board is: only root may read operators' answers, and "
          + "unreadable answers grant nothing (\(error)); the daemon reads them for every user, "
          + (AuthMode.current == .enforced
            ? "so leave out --source" : "so start it with: \(AuthContext.startCommand)"))
    case .brokenStore(let error): throw CommandFailure.configuration("\(error)")
    case .lock(let rule):
      log(verdict)
      throw CommandFailure.notPermitted("\(why); edit \(rule.place.file)")
    case .switchedOff:
      log(verdict)
      let command = places.command(["fixcast", "auth", "reset", "everyone"])
      throw CommandFailure.notPermitted("\(why); switch it on with: \(command)")
    case .decision, .rule, .undecided: break
    }
    if verdict.authorization.status.isRefused {
      log(verdict)
      throw CommandFailure.notPermitted("\(why); allow it with: \(command)")
    }
    // The request is stored, and no operator has answered it.
    if policy != nil, verdict.authorization.status == .notDetermined {
      throw CommandFailure.notPermitted(
        "no operator has answered yet whether \(client) may know where the board is "
          + "(\(origin)); "
          + "allow it with: \(command)")
    }
  }

  /// Logs a denied attempt if this user may write the log.
  private func log(_ verdict: AuthorizationVerdict) {
    var event = AuditEvent(.denied, at: BootTimestamp.now().utcSeconds, client: "\(client)")
    event.process = getpid()
    event.requested = Self.request
    event.authorization = verdict.authorization
    event.decidedBy = "\(verdict.origin)"
    event.reason = purpose
    try? places.audit.append(event)
  }

  private var command: String {
    places.command(["fixcast", "auth", "allow"] + places.words(client.evidence))
  }
}
