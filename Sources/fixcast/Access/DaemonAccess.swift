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

/// Access to the daemon for the commands.
enum DaemonAccess {
  /// The address of the daemon's socket; the default one if the configuration is invalid.
  static var address: DaemonAddress { (try? DaemonLocator.address()) ?? DaemonAddress() }

  /// Returns a client of the daemon, even if this user may not connect; `nil` if there is no
  /// daemon.
  ///
  /// - Throws: `ExitCode` 78 if the configuration is invalid. It is then unknown
  ///   whether a daemon is running, and a command must not bypass a daemon's access control.
  static func client() throws -> DaemonClient? {
    do throws(SettingsErrors) { return client(at: try DaemonLocator.address()) } catch {
      throw CommandFailure.configuration(
        DaemonLocator.unknownMessage(
          "the daemon's socket", error,
          or: "set the path of its socket in \(DaemonAddress.variable)"))
    }
  }

  /// A client of the daemon; `nil` if no daemon is found.
  static var clientIfFound: DaemonClient? { client(at: address) }

  private static func client(at address: DaemonAddress) -> DaemonClient? {
    let client = DaemonClient(address: address, now: { MonotonicTime.now() })
    return client.presence == .absent ? nil : client
  }

  /// Reports an error of the daemon and returns the exit code of that error.
  static func failure(_ error: DaemonClientError) -> ExitCode {
    switch error {
    case .noDaemon, .unreadable, .disconnected, .silent: CommandFailure.unavailable("\(error)")
    case .refused, .noFix: CommandFailure.temporary("\(error)")
    case .notAuthorized, .notPermitted: CommandFailure.notPermitted("\(error)")
    case .rejected: CommandFailure.usage("\(error)")
    }
  }

  /// Returns one location from the daemon, as precise as this user is authorized for.
  ///
  /// - Parameters:
  ///   - client: The client of the daemon.
  ///   - timeoutSeconds: The time limit for a position and for an operator's answer.
  ///   - purpose: The purpose of the request, shown to operators.
  ///   - progress: Prints the progress line; `nil` to print none.
  /// - Returns: The fix.
  /// - Throws: `ExitCode` 69 if the daemon does not respond, 75 if there is no position in time, 77
  ///   if access is denied or not granted in time.
  static func location(
    _ client: DaemonClient, timeoutSeconds: Int, purpose: String, progress: WaitNotice? = nil
  ) async throws -> Fix {
    do throws(DaemonClientError) {
      // The shorter time limit detects an unresponsive daemon early.
      let status = try await client.status(timeoutSeconds: statusSeconds(within: timeoutSeconds))
      if progress != nil, isatty(STDERR_FILENO) == 1 {
        if isUndecided(status.authorization) { StandardError.print(undecidedHint) }
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

  /// The time limit for a status request: short, since the daemon responds at once.
  static func statusSeconds(within timeoutSeconds: Int) -> Int { min(10, max(timeoutSeconds, 1)) }

  /// Whether the daemon's status, which every user may read, reports that the weather is off.
  static func isWeatherOff(_ client: DaemonClient) async -> Bool {
    guard let status = try? await client.status(timeoutSeconds: 10) else { return false }
    return DaemonOverview(json: status.daemon)?.weather?.isOff ?? false
  }

  private static func trouble(_ status: DaemonStatus) -> DaemonTrouble? {
    DaemonOverview(json: status.daemon).flatMap(DaemonTrouble.init)
  }

  /// Returns the error for a `--source` port that the daemon already reads.
  ///
  /// - Returns: The message; `nil` if the daemon does not respond, or reads none of the ports.
  static func portConflict(_ devnodes: [String]) -> String? {
    guard !devnodes.isEmpty, let status = try? clientIfFound?.statusNow(),
      let source = DaemonOverview(json: status.daemon)?.source
    else { return nil }
    let members = source.members
    let port = devnodes.first { devnode in
      members.contains { PortHolders.isSamePort($0, devnode) }
        // The daemon lists an autodetected receiver as "auto", without its device node.
        || members.contains("auto")
          && PortHolders(of: [devnode]).rivals(of: devnode).contains { $0.program == "fixcast" }
    }
    return port.map { port in
      "\(port): already in use by the daemon; leave out --source to get its positions, or stop "
        + "the daemon first: sudo systemctl stop fixcast"
    }
  }

  /// Whether access depends on an operator's answer.
  private static func isUndecided(_ reported: DaemonAuthorization) -> Bool {
    reported.authorization.status == .notDetermined
      && PredictedVerdict(reported: reported, at: AuthPathOptions.rulePaths)?.isOpen ?? true
  }

  /// The hint for this user, printed before the command waits: the user is often the operator too.
  static var undecidedHint: String {
    undecidedHint(ProcessEvidence().ownIdentity(), command: AuthPathOptions.rulePaths.command)
  }

  /// Returns the hint for a client that no operator has decided on.
  static func undecidedHint(
    _ client: ClientIdentity, command: ([String]) -> String
  ) -> String {
    let words = ["sudo", "fixcast", "auth", "allow"] + client.evidence.words
    return "no decision yet on whether \(client) may know where the board is; allow it with: "
      + command(words)
  }

  /// Opens a stream of locations from the daemon, with the daemon as its authorization policy.
  ///
  /// - Throws: `ExitCode` 69 if the daemon does not respond, 77 if access is denied.
  static func session(
    _ client: DaemonClient, purpose: String
  ) async throws -> (SourceSession, any AuthorizationPolicy) {
    do throws(DaemonClientError) {
      let session = try await DaemonSession(client, purpose: purpose)
      let reported = session.authorization
      guard !reported.authorization.status.isRefused else {
        throw .notAuthorized(
          .notAuthorized(
            "this user may not know where the board is", advice: "see: sudo fixcast auth list"))
      }
      if isUndecided(reported) { StandardError.print(undecidedHint) }
      return (SourceSession(session), session)
    } catch {
      throw failure(error)
    }
  }
}

/// How authorization decisions are enforced.
enum AuthMode: String {
  case cooperative
  case enforced

  /// The mode in effect: enforced if a daemon is found.
  static var current: AuthMode { DaemonAccess.clientIfFound == nil ? .cooperative : .enforced }

  var text: String {
    switch self {
    case .cooperative:
      "cooperative: applies only to programs that get locations through Fixcast"
    case .enforced:
      "enforced: the daemon gives each program only what it is authorized for"
    }
  }
}
