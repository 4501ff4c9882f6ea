// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bridge
import DaemonClient
import DaemonInterface
import Glibc
import LocationServices
import Receivers

/// The daemon, as commands use it.
enum DaemonAccess {
  /// Where it is to be found.
  static var address: DaemonAddress {
    var variables: [String: String] = [:]
    if let value = getenv(DaemonAddress.variable) {
      variables[DaemonAddress.variable] = String(cString: value)
    }
    return DaemonAddress(environment: variables)
  }

  /// The daemon, where it answers.
  static var client: DaemonClient? { SourceFactory.answeringDaemon }

  /// How a command ends that the daemon has not served.
  static func failure(_ error: DaemonClientError) -> ExitCode {
    switch error {
    case .noDaemon, .unreadable, .disconnected: CommandFailure.unavailable("\(error)")
    case .refused, .noFix: CommandFailure.temporary("\(error)")
    case .notAuthorized: CommandFailure.notPermitted("\(error)")
    case .rejected: CommandFailure.usage("\(error)")
    }
  }

  /// The daemon as a source that goes on, with its word on what may be known.
  ///
  /// - Parameters:
  ///   - client: The daemon.
  ///   - purpose: What for.
  /// - Returns: Both.
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
            "this user may not know where the board is", advice: "see: fixcast auth explain"))
      }
      return (SourceSession(source: session, counters: { NMEACounters() }), session)
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
  static var current: AuthMode { DaemonAccess.client == nil ? .cooperative : .enforced }

  var text: String {
    switch self {
    case .cooperative:
      "cooperative: binds programs that ask through Fixcast, no other"
    case .enforced:
      "enforced: the daemon tells each program what it may know"
    }
  }
}
