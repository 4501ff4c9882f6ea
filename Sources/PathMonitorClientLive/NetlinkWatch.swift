// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import PathMonitorClient
internal import Positioning
internal import SystemSupport

/// Runs a ``PathWatch`` on a thread, from the first subscription to the end of the last
/// subscription.
struct NetlinkWatch: Sendable {
  let query: PathQuery
  let timing: PathWatch.Timing
  let openSocket: NetlinkPathMonitor.OpenSocket
  let stop: WakeUp
  let jump = ClockJump()
  let resolver: ResolverWatch
  let counters: WatchCounters
  let publish: @Sendable (NetworkPath) -> Void

  /// Starts the thread; returns false if no thread can be created.
  func startThread() -> Bool { BlockingThread.start { run() } }

  private struct Sockets {
    var listening: any NetlinkSocket
    var reader: NetlinkReader
  }

  private static func now() -> UInt64 { UInt64(clamping: MonotonicTime.now().nanoseconds) }

  private func run() {
    var watch = PathWatch(timing: timing)
    var sockets: Sockets?
    var event = PathWatch.Event.deadlineReached
    while true {
      var actions = watch.handle(event, at: Self.now())[...]
      while let action = actions.popFirst() {
        switch action {
        case .publish(let path): publish(path)
        case .read: actions += watch.handle(read(&sockets), at: Self.now())
        }
      }
      guard let next = nextEvent(&sockets, until: watch.deadline) else { return }
      counters.change { $0.wakeups += 1 }
      event = next
    }
  }

  /// Reads the current path.
  ///
  /// If the existing sockets fail, tries once more with new sockets. Reports a second failure.
  private func read(_ sockets: inout Sockets?) -> PathWatch.Event {
    counters.change { $0.reads += 1 }
    let isFresh = sockets == nil
    do throws(NetlinkError) { return .read(try readPath(&sockets)) } catch {
      guard !isFresh else { return .failed(error) }
    }
    do throws(NetlinkError) { return .read(try readPath(&sockets)) } catch { return .failed(error) }
  }

  private func readPath(_ sockets: inout Sockets?) throws(NetlinkError) -> NetworkPath {
    // The listening socket is opened first, so that no change is missed.
    var current =
      if let sockets { sockets } else {
        Sockets(
          listening: try openSocket(true), reader: NetlinkReader(socket: try openSocket(false)))
      }
    // Sockets are not reused after a failure, because replies may still be pending on them.
    sockets = nil
    let path = try query.path(&current.reader)
    sockets = current
    return path
  }

  /// Waits for the next event; returns `nil` if the watch is stopped.
  private func nextEvent(
    _ sockets: inout Sockets?, until deadline: UInt64
  ) -> PathWatch.Event? {
    let events = Int16(POLLIN)
    var descriptors = [
      pollfd(fd: stop.descriptor, events: events, revents: 0),
      pollfd(fd: sockets?.listening.descriptor ?? -1, events: events, revents: 0),
      pollfd(fd: jump.descriptor, events: events, revents: 0),
      pollfd(fd: resolver.descriptor, events: events, revents: 0),
    ]
    let now = Self.now()
    // The wait is rounded up, so that the deadline has passed afterwards.
    let milliseconds = deadline > now ? (deadline - now) / 1_000_000 + 1 : 0
    _ = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds))
    if descriptors[0].revents != 0 { return nil }
    if descriptors[2].revents != 0, jump.consumeJump() { return .clockJumped }
    if descriptors[1].revents != 0, let listening = sockets?.listening {
      // A failed socket would wake the thread continuously. The next read opens a new socket.
      if !drain(listening) { sockets = nil }
      return .changed
    }
    return descriptors[3].revents != 0 && resolver.consumeChanges() ? .changed : .deadlineReached
  }

  /// Reads and discards the pending notifications.
  ///
  /// Returns false if the socket has failed.
  private func drain(_ socket: any NetlinkSocket) -> Bool {
    // The loop is bounded; in a flood, the remaining notifications are read after the next wait.
    for _ in 0..<256 {
      do throws(NetlinkError) {
        guard try socket.receive() != nil else { return true }
        counters.change { $0.messages += 1 }
      } catch {
        // Messages were lost, which is treated as a change; later messages are still readable.
        guard error.isOverrun else { return false }
        counters.change { $0.overruns += 1 }
      }
    }
    return true
  }
}
