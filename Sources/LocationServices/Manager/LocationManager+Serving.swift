// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Being served by one who also decides.
extension LocationManager {
  /// Makes a manager that takes its locations from whoever decides about it, and runs that.
  ///
  /// It runs from now on until the manager goes, also while nothing is started: what is decided
  /// comes the same way as the locations, and in order with them. A daemon's session asks for
  /// locations only while something is started.
  ///
  /// - Parameters:
  ///   - authority: Serves and decides, such as a daemon's session.
  ///   - purpose: What the program wants locations for, in words for whoever decides.
  ///   - actor: On whose executor callbacks run; `nil` for one of the manager's own.
  ///   - requestTimeout: How long a one-shot request waits for a location.
  ///   - callbackLimit: How many callbacks wait for a slow delegate, at least 4.
  ///   - storage: Where regions, a visit that goes on and the last significant change survive a
  ///     restart; `nil` for nowhere.
  ///   - clock: What the time is measured by.
  public convenience init(
    servedBy authority: some AuthorizationPolicy & FixSource, purpose: String,
    callbacksOn actor: (any Actor)? = nil, requestTimeout: Duration = .seconds(30),
    callbackLimit: Int = 64, storage: (any MonitoringStorage)? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      policy: authority, purpose: purpose, callbacksOn: actor, requestTimeout: requestTimeout,
      callbackLimit: callbackLimit, storage: storage, clock: clock)
    let onDemand = authority as? any OnDemandSource
    if onDemand != nil { state.withLock { $0.machine.isServedOnDemand = true } }
    let serving = Task { [weak self] in
      if let onDemand {
        await onDemand.runOnDemand { [weak self] event in self?.ingest(event) }
      } else {
        try? await authority.run { [weak self] event in self?.ingest(event) }
      }
      self?.sourceDidFail()
    }
    state.withLock { $0.serving = serving }
  }
}
