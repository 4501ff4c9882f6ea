// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LocationServices
import Plugins
import Positioning
internal import SystemSupport

/// Whether whoever runs a command may be told where the board is.
///
/// Somebody who has a shell on the board asks for themselves by running it. So where nobody has
/// ever said anything about them, that is the answer, and nothing is filed. Every other word holds
/// for them as for any program, also one that comes later: a lock, a refusal, the switch, reduced
/// accuracy, and a rule that says an operator is to be asked. An answer that is over has to be given
/// anew.
struct LocationConsent {
  private let purpose: String
  private let places: PolicyPaths
  private let client = ProcessEvidence().ownIdentity()
  /// Takes the log, and a grant that serves once; `nil` until it is asked.
  private var policy: PolicyFiles?
  /// What is asked for: whoever runs a command is there.
  static let request = AuthorizationRequest.whenInUse
  private static let base = AuthorizationStatus.authorizedAlways

  /// Asks.
  ///
  /// Throws `ExitCode` 77 where the answer is no or does not come, 78 where it cannot be read.
  init(purpose: String, timeout: Duration) async throws {
    self.purpose = purpose
    places = try AuthPathOptions.ofEnvironment()
    try refuse(verdict())
    let policy = PolicyFiles(client: client, places: places, base: Self.base)
    self.policy = policy
    let updates = policy.updates()
    if await policy.answer(Self.request, purpose: purpose) == .pending {
      try await Self.wait(updates, timeout)
    }
    try refuse(self.verdict())
    policy.note(.started(.oneShot))
  }

  /// Who decides from here on, for what goes on for a while.
  var continuing: any AuthorizationPolicy {
    PolicyFiles(client: client, places: places, base: Self.base)
  }

  /// The fix as it may be shown; asked anew, since a grant may have been taken back meanwhile.
  func allowed(_ fix: Fix) async throws -> Fix {
    let verdict = verdict()
    try refuse(verdict)
    guard let policy else { return fix }
    let shown =
      verdict.authorization.accuracy == .reducedAccuracy
      ? await ReducedFix.of(fix, at: places) : fix
    guard let shown else { throw CommandFailure.temporary("no position can be reduced yet") }
    policy.note(.firstLocation(.oneShot))
    policy.note(.stopped(.oneShot, locationCount: 1))
    await policy.flush()
    return shown
  }

  /// A grant that serves once counts for the program that has taken it.
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

  /// Ends the command where the answer is no, with what would change it.
  private func refuse(_ verdict: AuthorizationVerdict) throws {
    let why = "\(client) may not know where the board is: \(verdict.origin)"
    switch verdict.origin {
    case .brokenPolicy(let problem): throw CommandFailure.configuration("\(problem)")
    case .brokenStore(let error) where error.isPermission:
      throw CommandFailure.notPermitted(
        "\(client) may not know where the board is: operators' answers are for root to read, and "
          + "answers that cannot be read grant nothing (\(error)); the daemon reads them for every "
          + "user, "
          + (AuthMode.current == .enforced
            ? "and answers: leave out --source" : "start it with: \(AuthContext.startCommand)"))
    case .brokenStore(let error): throw CommandFailure.configuration("\(error)")
    case .lock(let rule):
      log(verdict)
      throw CommandFailure.notPermitted("\(why); edit \(rule.place.file)")
    case .switchedOff:
      log(verdict)
      let command = places.command(["fixcast", "auth", "reset", "everyone"])
      throw CommandFailure.notPermitted("\(why); switch it on with: \(command)")
    case .decision, .rule, .nobody: break
    }
    if verdict.authorization.status.isRefused {
      log(verdict)
      throw CommandFailure.notPermitted("\(why); allow it with: \(command)")
    }
    // Asked for by now, and still open.
    if policy != nil, verdict.authorization.status == .notDetermined {
      throw CommandFailure.notPermitted(
        "nobody has answered whether \(client) may know where the board is (\(verdict.origin)); "
          + "allow it with: \(command)")
    }
  }

  /// A line for an attempt that was refused; its loss, as of a user who may not write the log,
  /// changes nothing.
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
    places.command(["fixcast", "auth", "allow"] + client.evidence.words)
  }
}
