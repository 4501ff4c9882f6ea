// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Daemon
import DaemonClient
import DaemonProtocol
import FixcastConfiguration
import Glibc
import LocationServices
import Positioning
import Receivers
internal import SystemSupport

/// The daemon, as commands use it.
enum DaemonAccess {
  /// Where it is to be found; the usual place where that is not known.
  static var address: DaemonAddress { (try? BoardDaemon.address()) ?? DaemonAddress() }

  /// The daemon, where there is one, be it that this user may not ask it.
  ///
  /// - Throws: `ExitCode` 78 where it is not known whether there is, since the configuration cannot be
  ///   read: nobody acts in the place of one that enforces what was decided.
  static func client() throws -> DaemonClient? {
    do throws(SettingsErrors) { return client(at: try BoardDaemon.address()) } catch {
      throw CommandFailure.configuration(
        BoardDaemon.unknown(
          "where the daemon is", error, or: "name its socket by \(DaemonAddress.variable)"))
    }
  }

  /// The daemon, where one is found.
  static var clientIfFound: DaemonClient? { client(at: address) }

  private static func client(at address: DaemonAddress) -> DaemonClient? {
    let client = DaemonClient(address: address, now: { MonotonicTime.now() })
    return client.presence == .absent ? nil : client
  }

  /// How a command ends that the daemon has not served.
  static func failure(_ error: DaemonClientError) -> ExitCode {
    switch error {
    case .noDaemon, .unreadable, .disconnected, .silent: CommandFailure.unavailable("\(error)")
    case .refused, .noFix: CommandFailure.temporary("\(error)")
    case .notAuthorized, .notPermitted: CommandFailure.notPermitted("\(error)")
    case .rejected: CommandFailure.usage("\(error)")
    }
  }

  /// One location of the daemon's, as precisely as whoever runs the command may know.
  ///
  /// - Parameters:
  ///   - client: The daemon.
  ///   - timeoutSeconds: How long to wait for a position, and for an operator.
  ///   - purpose: What for.
  ///   - progress: Says what is waited for; `nil` for nobody who reads it.
  /// - Returns: The fix.
  /// - Throws: `ExitCode` 69 where it answers no more, 75 where no position came, 77 where the answer
  ///   is no or did not come.
  static func location(
    _ client: DaemonClient, timeoutSeconds: Int, purpose: String, progress: WaitNotice? = nil
  ) async throws -> Fix {
    do throws(DaemonClientError) {
      // One that hangs is found out here, and not when all of the time is over.
      let status = try await client.status(timeoutSeconds: statusSeconds(within: timeoutSeconds))
      if progress != nil, isatty(STDERR_FILENO) == 1 {
        if isUndecided(status.authorization) { StandardError.print(undecided) }
        if let trouble = trouble(status) { StandardError.print("\(trouble)") }
      }
      let found = await (progress ?? .silent).during { () -> Result<Fix, DaemonClientError> in
        do throws(DaemonClientError) {
          return .success(
            try await client.location(timeoutSeconds: timeoutSeconds, purpose: purpose))
        } catch { return .failure(error) }
      }
      return try found.get()
    } catch {
      if case .noFix = error,
        let status = try? await client.status(
          timeoutSeconds: statusSeconds(within: timeoutSeconds)),
        let trouble = trouble(status)
      {
        throw CommandFailure.temporary("no position in \(timeoutSeconds) s: \(trouble)")
      }
      throw failure(error)
    }
  }

  /// How long a daemon may take to say how it is, where a position may take `timeoutSeconds`: it has
  /// that at hand.
  static func statusSeconds(within timeoutSeconds: Int) -> Int { min(10, max(timeoutSeconds, 1)) }

  /// Whether a daemon says that the weather is off, which it tells whoever asks.
  static func isWeatherOff(_ client: DaemonClient) async -> Bool {
    guard let status = try? await client.status(timeoutSeconds: 10) else { return false }
    return DaemonOverview(json: status.daemon)?.weather?.isOff ?? false
  }

  private static func trouble(_ status: DaemonStatus) -> DaemonTrouble? {
    DaemonOverview(json: status.daemon).flatMap(DaemonTrouble.init)
  }

  /// What is to be said of a port that is named though the daemon reads it.
  ///
  /// - Returns: The words; `nil` where the daemon reads none of them, or none answers.
  static func reads(_ devnodes: [String]) -> String? {
    guard !devnodes.isEmpty, let status = try? clientIfFound?.statusNow(),
      let source = DaemonOverview(json: status.daemon)?.source
    else { return nil }
    let members = source.members
    let port = devnodes.first { devnode in
      members.contains { PortHolders.isOne($0, devnode) }
        // What is plugged in has no name there.
        || members.contains("auto")
          && PortHolders(of: [devnode]).rivals(of: devnode).contains { $0.program == "fixcast" }
    }
    return port.map { port in
      "\(port): the daemon reads it, and tells what comes of it: leave out --source; or stop the "
        + "daemon first: sudo systemctl stop fixcast"
    }
  }

  /// Whether it takes an operator before anything is told.
  private static func isUndecided(_ told: DaemonAuthorization) -> Bool {
    told.authorization.status == .notDetermined
      && PredictedVerdict(told: told, at: AuthPathOptions.ofRules)?.isOpen ?? true
  }

  /// Said at once: who waits for an operator's answer is most often the operator.
  static var undecided: String {
    undecided(ProcessEvidence().ownIdentity(), command: AuthPathOptions.ofRules.command)
  }

  /// The same of any client.
  static func undecided(
    _ client: ClientIdentity, command: ([String]) -> String
  ) -> String {
    let words = ["sudo", "fixcast", "auth", "allow"] + client.evidence.words
    return "nobody has decided whether \(client) may know where the board is; allow it with: "
      + command(words)
  }

  /// The daemon as a source that goes on, with its word on what may be known.
  ///
  /// - Throws: `ExitCode` 69 where it answers no more, 77 where the answer is no.
  static func session(
    _ client: DaemonClient, purpose: String
  ) async throws -> (SourceSession, any AuthorizationPolicy) {
    do throws(DaemonClientError) {
      let session = try await DaemonSession(client, purpose: purpose)
      let told = session.authorization
      guard !told.authorization.status.isRefused else {
        throw .notAuthorized(
          .notAuthorized(
            "this user may not know where the board is", advice: "see: sudo fixcast auth list"))
      }
      if isUndecided(told) { StandardError.print(undecided) }
      return (SourceSession(session), session)
    } catch {
      throw failure(error)
    }
  }
}

/// What the decisions are worth.
enum AuthMode: String {
  case cooperative
  case enforced

  /// What is in effect now.
  static var current: AuthMode { DaemonAccess.clientIfFound == nil ? .cooperative : .enforced }

  var text: String {
    switch self {
    case .cooperative:
      "cooperative: binds programs that ask through Fixcast, no other"
    case .enforced:
      "enforced: the daemon tells each program what it may know"
    }
  }
}
