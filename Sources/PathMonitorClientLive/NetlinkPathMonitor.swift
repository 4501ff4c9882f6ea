// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PathMonitorClient
internal import Streams
internal import Synchronization
internal import SystemSupport

/// Watches the kernel's links, addresses and routes while there are subscriptions.
///
/// The content of notifications is not used: each notification, and each loss of notifications,
/// causes a complete read. A lost notification therefore cannot lead to a wrong state.
final class NetlinkPathMonitor: Sendable {
  typealias OpenSocket = @Sendable (_ isListening: Bool) throws(NetlinkError) -> any NetlinkSocket

  private struct State {
    /// Stops the current watch; `nil` while there is no watch.
    var stop: WakeUp?
    /// A task that tries again to start a watch after a failure.
    var retry: Task<Void, Never>?
  }

  /// The counters of all watches of this monitor.
  let counters = WatchCounters()
  private let query: PathQuery
  private let timing: PathWatch.Timing
  private let openSocket: OpenSocket
  private let makeStop: @Sendable () -> WakeUp?
  private let startThread: @Sendable (NetlinkWatch) -> Bool
  private let clock: any Clock<Duration>
  private let state = Mutex(State())
  private let paths: Broadcast<NetworkPath>

  init(
    _ query: PathQuery, timing: PathWatch.Timing = PathWatch.Timing(),
    openSocket: @escaping OpenSocket = { isListening throws(NetlinkError) in
      try KernelNetlinkSocket(isListening: isListening)
    },
    makeStop: @escaping @Sendable () -> WakeUp? = { try? WakeUp() },
    startThread: @escaping @Sendable (NetlinkWatch) -> Bool = { $0.startThread() },
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.query = query
    self.timing = timing
    self.openSocket = openSocket
    self.makeStop = makeStop
    self.startThread = startThread
    self.clock = clock
    let owner = WeakReference()
    paths = Broadcast(replaysNewest: true) { _ in owner.monitor?.listenersChanged() }
    owner.set(self)
  }

  deinit {
    let state = state.withLock { $0 }
    state.stop?.signal()
    state.retry?.cancel()
  }

  /// Whether a watch is running.
  var isWatching: Bool { state.withLock { $0.stop != nil } }

  /// Returns a stream that retains the monitor, so that the stream continues without the client.
  func subscribe() -> AsyncStream<NetworkPath> { paths.subscribe(keeping: self) }

  private func listenersChanged() {
    state.withLock { state in
      // The count is read under the lock, because concurrent calls may arrive out of order.
      let hasListeners = paths.listenerCount > 0
      if hasListeners, state.stop == nil, state.retry == nil {
        guard let error = startWatch(&state) else { return }
        // This path is satisfied, so that programs still make requests.
        paths.send(.unknown(error))
        state.retry = Task { [weak self, clock, timing] in
          var wait = timing.retry
          while (try? await clock.sleep(for: .nanoseconds(wait))) != nil, self?.retry() == true {
            wait = min(wait &* 2, timing.backstop)
          }
        }
      } else if !hasListeners {
        state.stop?.signal()
        state.stop = nil
        state.retry?.cancel()
        state.retry = nil
        // A later subscription must not receive a stale path. Clearing the path at the next start
        // would be too late, because the broadcast replays the path before it calls this function.
        paths.forgetNewest()
      }
    }
  }

  /// Tries again to start a watch.
  ///
  /// Returns whether another attempt is necessary.
  private func retry() -> Bool {
    state.withLock { state in
      guard !Task.isCancelled, state.stop == nil else { return false }
      guard let error = startWatch(&state) else {
        state.retry = nil
        return false
      }
      if paths.newest != .unknown(error) { paths.send(.unknown(error)) }
      return true
    }
  }

  /// Starts a watch on a new thread; returns the error, or `nil` on success.
  private func startWatch(_ state: inout State) -> NetlinkError? {
    // Without a stop signal, the watch could not be stopped.
    guard let stop = makeStop() else { return NetlinkError(call: "socketpair", number: errno) }
    let watch = NetlinkWatch(
      query: query, timing: timing, openSocket: openSocket, stop: stop,
      resolver: ResolverWatch(query.resolverFile), counters: counters,
      publish: { [weak self] path in self?.publish(path, from: stop) })
    guard startThread(watch) else { return NetlinkError(call: "pthread_create", number: EAGAIN) }
    state.stop = stop
    return nil
  }

  private func publish(_ path: NetworkPath, from stop: WakeUp) {
    state.withLock { state in
      // Paths of a stopped watch are ignored.
      if state.stop === stop, paths.newest != path { paths.send(path) }
    }
  }
}

/// A weak reference with which the broadcast of a monitor calls the monitor.
private final class WeakReference: Sendable {
  private struct Reference { weak var monitor: NetlinkPathMonitor? }
  private let reference = Mutex(Reference())
  var monitor: NetlinkPathMonitor? { reference.withLock { $0.monitor } }
  func set(_ monitor: NetlinkPathMonitor) { reference.withLock { $0.monitor = monitor } }
}
