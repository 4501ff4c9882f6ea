// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PathMonitorClient
internal import Streams
internal import Synchronization

/// Watches the kernel's links, addresses and routes while someone listens.
///
/// What a change says is never used: any message, and any message lost, has everything read again.
/// One lost burst then leaves nothing wrong for long.
final class NetlinkPathMonitor: Sendable {
  typealias OpenSocket = @Sendable (_ isListening: Bool) throws(NetlinkError) -> any NetlinkSocket

  private struct State {
    /// What ends the present watch; `nil` while nobody listens.
    var stop: StopSignal?
  }

  /// What its watches have done, all together.
  let counters = WatchCounters()
  private let inquiry: PathInquiry
  private let timing: PathWatch.Timing
  private let openSocket: OpenSocket
  private let makeStop: @Sendable () -> StopSignal?
  private let state = Mutex(State())
  private let paths: Broadcast<NetworkPath>

  init(
    _ inquiry: PathInquiry, timing: PathWatch.Timing = PathWatch.Timing(),
    openSocket: @escaping OpenSocket = { isListening throws(NetlinkError) in
      try KernelNetlinkSocket(isListening: isListening)
    },
    makeStop: @escaping @Sendable () -> StopSignal? = { StopSignal() }
  ) {
    self.inquiry = inquiry
    self.timing = timing
    self.openSocket = openSocket
    self.makeStop = makeStop
    let owner = WeakReference()
    paths = Broadcast(replaysNewest: true) { _ in owner.monitor?.listenersChanged() }
    owner.set(self)
  }

  deinit { state.withLock { $0.stop }?.raise() }

  /// Whether it watches: only while someone listens.
  var isWatching: Bool { state.withLock { $0.stop != nil } }

  func subscribe() -> AsyncStream<NetworkPath> { paths.subscribe() }

  private func listenersChanged() {
    state.withLock { state in
      // The count now: two calls may have overtaken each other.
      let isWanted = paths.listenerCount > 0
      if isWanted, state.stop == nil {
        guard let stop = makeStop() else {
          // A watch that could not be told to end is not begun. Unknown counts as satisfied.
          paths.send(.unknown)
          return
        }
        state.stop = stop
        start(stop)
      } else if !isWanted {
        state.stop?.raise()
        state.stop = nil
        // Who comes after a pause must not be given a path of before it. Here and not at the next
        // start: a broadcast replays its newest before it tells of the listener.
        paths.forgetNewest()
      }
    }
  }

  /// Watches on a thread of its own, which sleeps in `poll` and wakes for nothing else.
  private func start(_ stop: StopSignal) {
    let watch = NetlinkWatch(
      inquiry: inquiry, timing: timing, openSocket: openSocket, stop: stop,
      resolver: ResolverWatch(inquiry.resolverFile), counters: counters,
      publish: { [weak self] path in self?.publish(path, from: stop) })
    if !watch.startThread() { paths.send(.unknown) }
  }

  private func publish(_ path: NetworkPath, from stop: StopSignal) {
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
