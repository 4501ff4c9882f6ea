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
  ///   - acceptsLast: Whether to return the last known location if there is no current one.
  ///   - progress: Prints the progress line; `nil` to print none. If an operator has to decide, the
  ///     command that grants access is printed instead, at once.
  /// - Returns: The fix.
  /// - Throws: `ExitCode` 69 if the daemon does not respond, 75 if there is no position in time, 77
  ///   if access is denied or not granted in time.
  static func location(
    _ client: DaemonClient, timeoutSeconds: Int, purpose: String, acceptsLast: Bool = false,
    progress: WaitNotice? = nil
  ) async throws -> LastKnownFix {
    do throws(DaemonClientError) {
      // A short time limit for the status detects an unresponsive daemon early.
      let status = try await client.status(timeoutSeconds: statusSeconds(within: timeoutSeconds))
      let hint = undecidedHint(status.authorization)
      if let hint { StandardError.print("\(hint)   (waiting, \(timeoutSeconds) s at most)") }
      if progress != nil, !acceptsLast, let reason = missingFixReason(status) {
        StandardError.print("no position yet: \(reason)")
      }
      let notice = hint == nil ? progress ?? .silent : .silent
      let result = await notice.during { () -> Result<LastKnownFix, DaemonClientError> in
        do throws(DaemonClientError) {
          guard !acceptsLast else {
            return .success(
              try await client.lastLocation(timeoutSeconds: timeoutSeconds, purpose: purpose))
          }
          let fix = try await client.location(timeoutSeconds: timeoutSeconds, purpose: purpose)
          return .success(LastKnownFix(fix, isCurrent: true))
        } catch { return .failure(error) }
      }
      return try result.get()
    } catch {
      if case .noFix = error,
        let status = try? await client.status(
          timeoutSeconds: statusSeconds(within: timeoutSeconds)),
        let reason = missingFixReason(status)
      {
        if let received = received(status) { StandardError.print("received \(received.text)") }
        throw CommandFailure.temporary("no position in \(timeoutSeconds) s: \(reason)")
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

  /// Returns why the daemon has no position now, with the next step, and the counts of the lines
  /// that it has received; each is `nil` if this user may not see it.
  ///
  /// Blocks until the daemon answers.
  static func missingFixNow() -> (reason: String?, received: ReceivedLines?) {
    guard let status = try? clientIfFound?.statusNow() else { return (nil, nil) }
    return (missingFixReason(status), received(status))
  }

  /// Returns the counts of the lines that the daemon has received; `nil` if this user may not see
  /// them.
  static func received(by client: DaemonClient) async -> ReceivedLines? {
    (try? await client.status()).flatMap { received($0) }
  }

  private static func received(_ status: DaemonStatus) -> ReceivedLines? {
    DaemonOverview(json: status.daemon)?.source?.received
  }

  /// Returns why the daemon has no position, with the next step; `nil` if this user may not see it.
  private static func missingFixReason(_ status: DaemonStatus) -> String? {
    if let trouble = trouble(status) { return "\(trouble)" }
    return DaemonOverview(json: status.daemon)?.source?.noFix?.explanation?.description
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

  /// Returns the line that a command prints before it waits for an operator, who is often the user.
  ///
  /// Returns `nil` if no operator has to decide.
  static func undecidedHint(_ reported: DaemonAuthorization) -> String? {
    guard reported.authorization.status == .notDetermined, let advice = reported.advice else {
      return nil
    }
    let client = AuthPathOptions.rulePaths.text(ProcessEvidence().ownIdentity().evidence)
    return "no decision yet on whether \(client) may know where the board is; \(advice)"
  }

  /// The command that lets this user know the position.
  static var allowCommand: String {
    let places = AuthPathOptions.rulePaths
    let client = places.text(ProcessEvidence().ownIdentity().evidence)
    return places.command(["sudo", "fixcast", "auth", "allow", client])
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
      if let hint = undecidedHint(reported) { StandardError.print(hint) }
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
