// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PathMonitorClient
internal import Streams
internal import Synchronization
internal import SystemSupport

/// Watches the kernel's links, addresses and routes while someone listens.
///
/// What a change says is never used: any message, and any message lost, has everything read again.
/// One lost burst then leaves nothing wrong for long.
final class NetlinkPathMonitor: Sendable {
  typealias OpenSocket = @Sendable (_ isListening: Bool) throws(NetlinkError) -> any NetlinkSocket

  private struct State {
    /// What ends the present watch; `nil` while nobody listens.
    var stop: WakeUp?
    /// What begins it later, where that has failed.
    var retry: Task<Void, Never>?
  }

  /// What its watches have done, all together.
  let counters = WatchCounters()
  private let inquiry: PathInquiry
  private let timing: PathWatch.Timing
  private let openSocket: OpenSocket
  private let makeStop: @Sendable () -> WakeUp?
  private let startThread: @Sendable (NetlinkWatch) -> Bool
  private let clock: any Clock<Duration>
  private let state = Mutex(State())
  private let paths: Broadcast<NetworkPath>

  init(
    _ inquiry: PathInquiry, timing: PathWatch.Timing = PathWatch.Timing(),
    openSocket: @escaping OpenSocket = { isListening throws(NetlinkError) in
      try KernelNetlinkSocket(isListening: isListening)
    },
    makeStop: @escaping @Sendable () -> WakeUp? = { try? WakeUp() },
    startThread: @escaping @Sendable (NetlinkWatch) -> Bool = { $0.startThread() },
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.inquiry = inquiry
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

  /// Whether it watches: only while someone listens.
  var isWatching: Bool { state.withLock { $0.stop != nil } }

  /// A stream keeps the monitor, so that it goes on without the client.
  func subscribe() -> AsyncStream<NetworkPath> { paths.subscribe(keeping: self) }

  private func listenersChanged() {
    state.withLock { state in
      // The count now: two calls may have overtaken each other.
      let isWanted = paths.listenerCount > 0
      if isWanted, state.stop == nil, state.retry == nil {
        guard let error = begin(&state) else { return }
        // Unknown counts as satisfied.
        paths.send(.unknown(error))
        state.retry = Task { [weak self, clock, timing] in
          var wait = timing.retry
          while (try? await clock.sleep(for: .nanoseconds(wait))) != nil, self?.retry() == true {
            wait = min(wait &* 2, timing.backstop)
          }
        }
      } else if !isWanted {
        state.stop?.signal()
        state.stop = nil
        state.retry?.cancel()
        state.retry = nil
        // Who comes after a pause must not be given a path of before it. Here and not at the next
        // start: a broadcast replays its newest before it tells of the listener.
        paths.forgetNewest()
      }
    }
  }

  /// Begins a watch that could not be begun before.
  ///
  /// - Returns: Whether that is to be tried once more.
  private func retry() -> Bool {
    state.withLock { state in
      guard !Task.isCancelled, state.stop == nil else { return false }
      guard let error = begin(&state) else {
        state.retry = nil
        return false
      }
      if paths.newest != .unknown(error) { paths.send(.unknown(error)) }
      return true
    }
  }

  /// Watches on a thread of its own, which sleeps in `poll` and wakes for nothing else.
  ///
  /// - Returns: What it failed for; `nil` where it runs.
  private func begin(_ state: inout State) -> NetlinkError? {
    // A watch that could not be told to end is not begun.
    guard let stop = makeStop() else { return NetlinkError(call: "socketpair", number: errno) }
    let watch = NetlinkWatch(
      inquiry: inquiry, timing: timing, openSocket: openSocket, stop: stop,
      resolver: ResolverWatch(inquiry.resolverFile), counters: counters,
      publish: { [weak self] path in self?.publish(path, from: stop) })
    guard startThread(watch) else { return NetlinkError(call: "pthread_create", number: EAGAIN) }
    state.stop = stop
    return nil
  }

  private func publish(_ path: NetworkPath, from stop: WakeUp) {
    state.withLock { state in
      // A watch that has been told to end says nothing more.
      if state.stop === stop, paths.newest != path { paths.send(path) }
    }
  }
}

/// Lets the broadcast that a monitor owns call back to it.
private final class WeakReference: Sendable {
  private struct Reference { weak var monitor: NetlinkPathMonitor? }
  private let reference = Mutex(Reference())
  var monitor: NetlinkPathMonitor? { reference.withLock { $0.monitor } }
  func set(_ monitor: NetlinkPathMonitor) { reference.withLock { $0.monitor = monitor } }
}
