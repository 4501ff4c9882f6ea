// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
internal import Glibc
internal import PathMonitorClient
internal import Positioning
internal import SystemSupport

/// Runs a ``PathWatch``, from the first listener to the last: a thread's whole life.
struct NetlinkWatch: Sendable {
  let inquiry: PathInquiry
  let timing: PathWatch.Timing
  let openSocket: NetlinkPathMonitor.OpenSocket
  let stop: WakeUp
  let jump = ClockJump()
  let resolver: ResolverWatch
  let counters: WatchCounters
  let publish: @Sendable (NetworkPath) -> Void

  /// Starts the thread.
  ///
  /// - Returns: Whether the system had one.
  func startThread() -> Bool { BlockingThread.start { run() } }

  /// What the kernel is asked by and tells by.
  private struct Sockets {
    var listening: any NetlinkSocket
    var reader: NetlinkReader
  }

  private static func now() -> UInt64 { UInt64(clamping: MonotonicTime.now().nanoseconds) }

  private func run() {
    var watch = PathWatch(timing: timing)
    var sockets: Sockets?
    var event = PathWatch.Event.timeOver
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

  /// The path now, or why it cannot be told.
  ///
  /// Sockets that fail are replaced before the network is said not to answer.
  private func read(_ sockets: inout Sockets?) -> PathWatch.Event {
    counters.change { $0.reads += 1 }
    let isFresh = sockets == nil
    do throws(NetlinkError) { return .read(try ask(&sockets)) } catch {
      guard !isFresh else { return .failed(error) }
    }
    do throws(NetlinkError) { return .read(try ask(&sockets)) } catch { return .failed(error) }
  }

  private func ask(_ sockets: inout Sockets?) throws(NetlinkError) -> NetworkPath {
    // Listening begins before reading, so that no change falls between.
    var asked =
      if let sockets { sockets } else {
        Sockets(
          listening: try openSocket(true), reader: NetlinkReader(socket: try openSocket(false)))
      }
    // A failure may leave answers behind that would be in the way of those to the next question.
    sockets = nil
    let path = try inquiry.path(&asked.reader)
    sockets = asked
    return path
  }

  /// What comes next; `nil` where it is told to stop.
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
    // Rounded up, so that it is never woken a moment too early to do anything.
    let milliseconds = deadline > now ? (deadline - now) / 1_000_000 + 1 : 0
    _ = poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: milliseconds))
    if descriptors[0].revents != 0 { return nil }
    if descriptors[2].revents != 0, jump.take() { return .clockJumped }
    if descriptors[1].revents != 0, let listening = sockets?.listening {
      // One that is broken would wake the thread for ever: the next read opens another.
      if !drain(listening) { sockets = nil }
      return .told
    }
    return descriptors[3].revents != 0 && resolver.take() ? .told : .timeOver
  }

  /// Takes what has been told, only to know that something was.
  ///
  /// - Returns: Whether the socket can tell more.
  private func drain(_ socket: any NetlinkSocket) -> Bool {
    // Bounded: under a flood the rest is seen in the next round.
    for _ in 0..<256 {
      do throws(NetlinkError) {
        guard try socket.receive() != nil else { return true }
        counters.change { $0.messages += 1 }
      } catch {
        // Messages were lost: that is a change as well, and the queue goes on behind it.
        guard error.isOverrun else { return false }
        counters.change { $0.overruns += 1 }
      }
    }
    return true
  }
}
