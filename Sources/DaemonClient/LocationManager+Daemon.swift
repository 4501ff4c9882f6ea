// SPDX-License-Identifier: Apache-2.0

public import DaemonProtocol
internal import Glibc
public import LocationServices
internal import Positioning

extension LocationManager {
  /// Makes a manager of this board: Core Location's `CLLocationManager()`.
  ///
  /// The daemon serves it where there is one: it then decides, and has the receiver. Otherwise this
  /// process does, with a policy and a source of its own. Which of both it is says
  /// `authorizationMode`, and it stays so: a daemon that goes is waited for, as `diagnostics` say,
  /// and a program that started before its daemon must be restarted to use it.
  ///
  /// Served by the daemon, it is told from now on until it goes what it may know, and locations only
  /// while something is started or asked for. To the daemon that is one use, from the first start to
  /// the last stop, which its log tells of; what was allowed once is over with it.
  ///
  /// Where the daemon does not answer to begin with, may not be asked or does not take what the
  /// program says, the program is restricted until it does, and what is wrong is reported. Of one
  /// that answers no more the last word holds: nothing comes meanwhile, and `authorizationMode` says
  /// that it cannot be reached.
  ///
  /// - Parameters:
  ///   - purpose: What the program wants locations for, in words for whoever decides.
  ///   - daemon: Where the daemon listens.
  ///   - alternative: What the program does by itself where there is no daemon.
  ///   - actor: On whose executor callbacks run; `nil` for one of the manager's own.
  ///   - requestTimeout: How long a one-shot request waits for a location.
  ///   - storage: Where regions, a visit that goes on and the last significant change survive a
  ///     restart; `nil` for nowhere.
  ///   - clock: What the time is measured by.
  ///   - report: Takes lines for whoever runs the board; by default they go to standard error.
  public convenience init(
    purpose: String, daemon: DaemonAddress = .ofEnvironment,
    otherwise alternative: InProcess, callbacksOn actor: (any Actor)? = nil,
    requestTimeout: Duration = .seconds(30), storage: (any MonitoringStorage)? = nil,
    clock: any Clock<Duration> = ContinuousClock(),
    report: @escaping @Sendable (String) -> Void = { PolicyFiles.reportToStandardError($0) }
  ) {
    let client = DaemonClient(address: daemon, now: MonotonicTime.now)
    let session = DaemonSession(ifPresent: client, clock: clock, report: report)
    self.init(
      policy: session ?? alternative.policy(), purpose: purpose, callbacksOn: actor,
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
  /// The socket that this process's environment names, else the usual one.
  public static var ofEnvironment: DaemonAddress {
    var variables: [String: String] = [:]
    if let value = getenv(variable) { variables[variable] = String(cString: value) }
    return DaemonAddress(environment: variables)
  }
}
