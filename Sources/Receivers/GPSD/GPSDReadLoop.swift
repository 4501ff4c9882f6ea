// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import SystemSupport

/// Carries out what a ``GPSDSession`` decides; blocks its thread meanwhile.
struct GPSDReadLoop {
  let address: GPSDAddress
  let device: String?
  let run: BlockingRun<GPSDError>
  let pulse: ThreadLiveness
  let counters: SharedGPSDCounters
  var session: GPSDSession
  private var stall = StallDetector()

  init(
    address: GPSDAddress, device: String?, run: BlockingRun<GPSDError>, pulse: ThreadLiveness,
    counters: SharedGPSDCounters, session: GPSDSession
  ) {
    self.address = address
    self.device = device
    self.run = run
    self.pulse = pulse
    self.counters = counters
    self.session = session
  }

  /// After so many lines without a pause it is looked whether the run is over.
  private static let linesInARow = 256
  private static let longestWaitMilliseconds = Int64(StallDetector.longestWaitMilliseconds)

  private enum Awaited {
    case woken
    case timeOut
    case readable
  }

  /// Runs until it is woken.
  ///
  /// - Throws: ``GPSDError/resources(address:call:errorNumber:)`` where poll(2) fails.
  mutating func run(deliver: (FixSourceEvent) -> Void) throws(GPSDError) {
    var connection: LibGPS?
    guard perform(session.start(), on: &connection, deliver) else { return }
    // libgps keeps lines that it has read: poll(2) knows nothing of those.
    var mayHoldMore = false
    while true {
      let (awaited, isStalled) = try wait(
        for: connection?.descriptor ?? -1, milliseconds: mayHoldMore ? 0 : millisecondsLeft())
      if case .woken = awaited { return }
      let now = MonotonicTime.now()
      if isStalled {
        guard perform(session.handle(.stalled, at: now), on: &connection, deliver) else { return }
      }
      if case .readable = awaited { mayHoldMore = true }
      if mayHoldMore {
        guard let more = drain(&connection, at: now, deliver) else { return }
        mayHoldMore = more
      }
      if !mayHoldMore {
        guard perform(session.handle(.caughtUp, at: now), on: &connection, deliver) else { return }
      }
      if let deadline = session.deadline, now >= deadline {
        guard perform(session.handle(.tick, at: now), on: &connection, deliver) else { return }
      }
      counters.value = session.counters
    }
  }

  /// Reads until nothing is left or too much came; whether there may be more, `nil` where the run
  /// is over.
  private mutating func drain(
    _ connection: inout LibGPS?, at now: MonotonicTime, _ deliver: (FixSourceEvent) -> Void
  ) -> Bool? {
    var lookedAt = now
    for _ in 0..<Self.linesInARow {
      let event: GPSDSession.Event
      switch connection?.next() {
      case .report(let report): event = .report(report)
      case .lost: event = .readFailed
      case .nothing, nil: return false
      }
      // A stop in the midst of reading makes old what is read after it, and perhaps this.
      let now = MonotonicTime.now()
      if now.nanoseconds &- lookedAt.nanoseconds > StallDetector.limitNanoseconds {
        guard perform(session.handle(.stalled, at: now), on: &connection, deliver) else {
          return nil
        }
      }
      lookedAt = now
      guard perform(session.handle(event, at: now), on: &connection, deliver) else { return nil }
    }
    return true
  }

  /// Carries out actions and what follows from them; false where the run is over.
  private mutating func perform(
    _ actions: [GPSDSession.Action], on connection: inout LibGPS?,
    _ deliver: (FixSourceEvent) -> Void
  ) -> Bool {
    for action in actions {
      switch action {
      case .deliver(let event): deliver(event)
      case .close: connection = nil
      case .connect:
        guard let event = connect(&connection) else { return false }
        guard perform(session.handle(event, at: .now()), on: &connection, deliver) else {
          return false
        }
      case .watch:
        if connection?.watch(device: device) == false { return giveUp(&connection, deliver) }
      case .ask:
        if connection?.askForVersion() == false { return giveUp(&connection, deliver) }
      case .probe:
        if connection?.askForDevices() == false { return giveUp(&connection, deliver) }
      }
    }
    return true
  }

  private mutating func giveUp(
    _ connection: inout LibGPS?, _ deliver: (FixSourceEvent) -> Void
  ) -> Bool {
    perform(session.handle(.readFailed, at: .now()), on: &connection, deliver)
  }

  /// What became of an attempt; `nil` where the run was over meanwhile.
  private func connect(_ connection: inout LibGPS?) -> GPSDSession.Event? {
    // Both take as long as the network does, and end by themselves.
    pulse.waits()
    defer { pulse.works() }
    // The resolver is all that nothing can wake.
    let resolved = run.block { () -> Result<[SocketAddress], GPSDTrouble> in
      Result { () throws(GPSDTrouble) in try SocketAddress.resolve(address) }
    }
    guard let resolved else { return nil }
    let connector = GPSDConnector(patienceNanoseconds: session.options.connectNanoseconds)
    do throws(GPSDTrouble) {
      let socket = try connector.connect(to: try resolved.get(), wake: run.wake.descriptor)
      guard let socket else { return nil }
      connection = try LibGPS(adopting: socket)
      return .connected
    } catch {
      return .connectFailed(error)
    }
  }

  /// Waits; also says whether what is there may be as old as the program was away.
  private mutating func wait(
    for descriptor: Int32, milliseconds: Int32
  ) throws(GPSDError) -> (Awaited, isStalled: Bool) {
    // A negative descriptor is passed over.
    var descriptors = [
      pollfd(fd: run.wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let ready: Int32
    var isStalled = false
    do throws(SystemCallFailure) {
      ready = try SystemCall.run("poll") {
        stall.waits(atMostMilliseconds: milliseconds, at: .now())
        pulse.waits()
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        pulse.works()
        isStalled = stall.looks(at: .now()) || isStalled
        return ready
      }
    } catch {
      throw GPSDError(error, address: address)
    }
    guard ready > 0 else { return (.timeOut, isStalled) }
    return (descriptors[0].revents != 0 ? .woken : .readable, isStalled)
  }

  /// The wait for poll(2), rounded up so that a near deadline has passed when it ends.
  private func millisecondsLeft() -> Int32 {
    guard let deadline = session.deadline else { return Int32(Self.longestWaitMilliseconds) }
    let (left, overflow) = deadline.nanoseconds.subtractingReportingOverflow(
      MonotonicTime.now().nanoseconds)
    let milliseconds = overflow ? 0 : left / 1_000_000 + 1
    return Int32(max(0, min(Self.longestWaitMilliseconds, milliseconds)))
  }
}
