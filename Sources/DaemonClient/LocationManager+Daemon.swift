// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
internal import Glibc
public import LocationServices
internal import Positioning

extension LocationManager {
  /// Creates a manager for this board.
  ///
  /// Corresponds to `CLLocationManager()`.
  ///
  /// If a daemon is running, the manager uses it: the daemon authorizes the program and reads the
  /// receiver. Otherwise the manager uses a policy and a source in this process. The choice is made
  /// once; `authorizationMode` reports the choice. If the daemon stops, the manager waits until the
  /// daemon is running again, and `diagnostics` report the loss. A program that was started before
  /// the daemon must be restarted to use the daemon.
  ///
  /// A manager that uses a daemon receives authorization updates until the manager is released. It
  /// receives locations only while a location service or request is active. The daemon logs the
  /// time from the first start to the last stop as one use. A one-time grant ends with this use.
  ///
  /// If the daemon does not respond at the start, if its socket cannot be opened, or if the daemon
  /// rejects the program's requests, the program is restricted and the error is reported. The
  /// restriction ends when the daemon sends an authorization. If the daemon stops responding later,
  /// the last authorization is kept, no locations arrive, and `authorizationMode` is `unreachable`.
  ///
  /// - Parameters:
  ///   - purpose: Why the program needs locations; shown to operators.
  ///   - daemon: The address of the daemon.
  ///   - alternative: The policy and the source to use if no daemon is running.
  ///   - actor: The actor that runs callbacks, by default the actor of the caller. Without an actor,
  ///     callbacks run on the main actor if the caller does, and otherwise on an actor of the
  ///     manager. The manager does not retain the actor. Pass an actor other than the main actor in
  ///     the initial value of its property and in its initializer, where the default is `nil`.
  ///   - requestTimeout: The time limit of a one-shot location request.
  ///   - storage: Stores regions, the current visit and the last significant change across
  ///     restarts; if `nil`, they are not stored.
  ///   - clock: The clock for all waits.
  ///   - report: Writes a line to the log; by default, the line is written to standard error.
  public convenience init(
    purpose: String, daemon: DaemonAddress = .ofEnvironment,
    otherwise alternative: InProcess, callbacksOn actor: (any Actor)? = #isolation,
    requestTimeout: Duration = .seconds(30), storage: (any MonitoringStorage)? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    let client = DaemonClient(address: daemon, now: MonotonicTime.now)
    self.init(
      purpose: purpose, session: DaemonSession(ifPresent: client, clock: clock, report: report),
      otherwise: alternative, callbackActor: actor ?? MainActor.ofCaller,
      requestTimeout: requestTimeout, storage: storage, clock: clock, report: report)
  }

  /// Creates a manager that uses a session with the daemon, or the alternative if it is `nil`.
  ///
  /// Without `callbackActor`, callbacks run on an actor of the manager.
  convenience init(
    purpose: String, session: DaemonSession?, otherwise alternative: InProcess,
    callbackActor: (any Actor)? = nil, requestTimeout: Duration = .seconds(30),
    storage: (any MonitoringStorage)? = nil, clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (String) -> Void
  ) {
    self.init(
      policy: session ?? alternative.policy?() ?? PolicyFiles(report: report), purpose: purpose,
      callbackActor: callbackActor,
      requestTimeout: requestTimeout, storage: storage, clock: clock)
    if let session {
      serve(onDemand: true) { await session.run(isOnDemand: true, delivering: $0) }
    } else {
      serve(onDemand: false) {
        await alternative.run(clock: clock, report: report, delivering: $0)
      }
    }
  }
}

extension DaemonAddress {
  /// The address from the environment variable `FIXCAST_SOCKET`, or the default address.
  public static var ofEnvironment: DaemonAddress {
    var variables: [String: String] = [:]
    if let value = getenv(variable) { variables[variable] = String(cString: value) }
    return DaemonAddress(environment: variables)
  }
}
