// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import PathMonitorClient

/// One watch, from the first listener to the last: a thread's whole life.
struct NetlinkWatch: Sendable {
  let destination: PathDestination
  let openSocket: NetlinkPathMonitor.OpenSocket
  let hasNameserver: @Sendable () -> Bool
  let stop: StopSignal
  let publish: @Sendable (NetworkPath) -> Void

  /// Some changes are never told (the kernel drops the IPv4 routes of a link that goes down
  /// silently), so everything is read at least that often.
  static let backstopNanoseconds: UInt64 = 15_000_000_000

  /// Starts the thread, detached.
  ///
  /// - Returns: Whether there was one to be had.
  func startThread() -> Bool {
    final class Box {
      let watch: NetlinkWatch
      init(_ watch: NetlinkWatch) { self.watch = watch }
    }
    let box = Unmanaged.passRetained(Box(self))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().watch.run()
        return nil
      }, box.toOpaque())
    if result != 0 { box.release() } else { pthread_detach(thread) }
    return result == 0
  }

  private func run() {
    var mayGoOn = true
    while mayGoOn {
      do {
        let listening = try openSocket(true)
        var reader = NetlinkReader(socket: try openSocket(false))
        try watch(listening, &reader)
        return
      } catch {
        // Unknown counts as satisfied. Tried again at the backstop's pace.
        publish(.unknown)
        mayGoOn = wait(for: -1, until: now() &+ Self.backstopNanoseconds) != .stopped
      }
    }
  }

  /// Reads at once, after changes, and at the backstop, until told to stop.
  private func watch(
    _ listening: any NetlinkSocket, _ reader: inout NetlinkReader
  ) throws(NetlinkError) {
    var schedule = ReadSchedule()
    var backstop: UInt64 = 0
    while true {
      if schedule.takeDue(at: now()) || now() >= backstop {
        try read(&reader)
        backstop = now() &+ Self.backstopNanoseconds
      }
      let deadline = min(schedule.deadline ?? backstop, backstop)
      switch wait(for: listening.descriptor, until: deadline) {
      case .stopped: return
      case .timeOver: break
      case .readable:
        try drain(listening)
        schedule.changed(at: now())
      }
    }
  }

  /// Takes what has been told, only to know that something was.
  private func drain(_ socket: any NetlinkSocket) throws(NetlinkError) {
    // Bounded: under a flood the rest is seen in the next round.
    for _ in 0..<256 {
      do {
        guard try socket.receive() != nil else { return }
      } catch {
        // Messages were lost: that is a change as well, and the queue goes on behind it.
        guard error.isOverrun else { throw error }
      }
    }
  }

  private func read(_ reader: inout NetlinkReader) throws(NetlinkError) {
    let address: [UInt8]? = if case .address(let bytes) = destination { bytes } else { nil }
    var snapshot = try reader.snapshot(routeTo: address)
    snapshot.hasNameserver = hasNameserver()
    publish(NetworkPath(snapshot, to: destination))
  }

  private enum Wake { case readable, timeOver, stopped }

  private func wait(for descriptor: Int32, until deadline: UInt64) -> Wake {
    let events = Int16(POLLIN)
    var descriptors = [
      pollfd(fd: stop.descriptor, events: events, revents: 0),
      pollfd(fd: descriptor, events: events, revents: 0),
    ]
    let now = now()
    // Rounded up, so that it is never woken a moment too early to do anything.
    let milliseconds = deadline > now ? (deadline - now) / 1_000_000 + 1 : 0
    let count = poll(&descriptors, 2, Int32(clamping: milliseconds))
    if descriptors[0].revents != 0 { return .stopped }
    return count > 0 && descriptors[1].revents != 0 ? .readable : .timeOver
  }

  private func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
