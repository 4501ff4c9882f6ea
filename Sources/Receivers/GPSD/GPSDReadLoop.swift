// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import SystemSupport

/// Executes the actions of a ``GPSDSession`` with libgps; blocks its thread.
struct GPSDReadLoop {
  let address: GPSDAddress
  let device: String?
  let run: BlockingRun<GPSDError>
  let liveness: ThreadLiveness
  let counters: SharedGPSDCounters
  var session: GPSDSession
  private var stall = StallDetector()

  init(
    address: GPSDAddress, device: String?, run: BlockingRun<GPSDError>, liveness: ThreadLiveness,
    counters: SharedGPSDCounters, session: GPSDSession
  ) {
    self.address = address
    self.device = device
    self.run = run
    self.liveness = liveness
    self.counters = counters
    self.session = session
  }

  /// The maximum number of lines read before the loop checks for cancellation.
  private static let maxLinesPerDrain = 256
  private static let longestWaitMilliseconds = Int64(StallDetector.longestWaitMilliseconds)

  private enum WaitResult {
    case woken
    case timeOut
    case readable
  }

  /// Runs until the wake-up descriptor becomes readable.
  ///
  /// - Throws: ``GPSDError/resources(address:call:errorNumber:)`` if poll(2) fails.
  mutating func run(deliver: (FixSourceEvent) -> Void) throws(GPSDError) {
    var connection: LibGPS?
    guard perform(session.start(), on: &connection, deliver) else { return }
    // libgps buffers complete lines, which poll(2) does not report.
    var mayHaveLines = false
    while true {
      let (result, isStalled) = try wait(
        for: connection?.descriptor ?? -1, milliseconds: mayHaveLines ? 0 : millisecondsLeft())
      if case .woken = result { return }
      let now = MonotonicTime.now()
      if isStalled {
        guard perform(session.handle(.stalled, at: now), on: &connection, deliver) else { return }
      }
      if case .readable = result { mayHaveLines = true }
      if mayHaveLines {
        guard let more = drain(&connection, at: now, deliver) else { return }
        mayHaveLines = more
      }
      if !mayHaveLines {
        guard perform(session.handle(.waitForConsumers, at: now), on: &connection, deliver) else {
          return
        }
      }
      if let deadline = session.deadline, now >= deadline {
        guard perform(session.handle(.tick, at: now), on: &connection, deliver) else { return }
      }
      counters.value = session.counters
    }
  }

  /// Reads until no line is left or ``maxLinesPerDrain`` lines were read.
  ///
  /// Returns whether more lines may be buffered, or `nil` if the run was cancelled.
  private mutating func drain(
    _ connection: inout LibGPS?, at now: MonotonicTime, _ deliver: (FixSourceEvent) -> Void
  ) -> Bool? {
    var lastReadAt = now
    for _ in 0..<Self.maxLinesPerDrain {
      let event: GPSDSession.Event
      switch connection?.next() {
      case .report(let report): event = .report(report)
      case .lost: event = .readFailed
      case .nothing, nil: return false
      }
      // If the process was paused, this line and all buffered lines may be old.
      let now = MonotonicTime.now()
      if now.nanoseconds &- lastReadAt.nanoseconds > StallDetector.limitNanoseconds {
        guard perform(session.handle(.stalled, at: now), on: &connection, deliver) else {
          return nil
        }
      }
      lastReadAt = now
      guard perform(session.handle(event, at: now), on: &connection, deliver) else { return nil }
    }
    return true
  }

  /// Executes actions and their follow-up actions; returns false if the run was cancelled.
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
        if connection?.watch(device: device) == false {
          return handleSendFailure(&connection, deliver)
        }
      case .requestVersion:
        if connection?.requestVersion() == false {
          return handleSendFailure(&connection, deliver)
        }
      case .probe:
        if connection?.requestDevices() == false {
          return handleSendFailure(&connection, deliver)
        }
      }
    }
    return true
  }

  private mutating func handleSendFailure(
    _ connection: inout LibGPS?, _ deliver: (FixSourceEvent) -> Void
  ) -> Bool {
    perform(session.handle(.readFailed, at: .now()), on: &connection, deliver)
  }

  /// Connects and returns the outcome, or `nil` if the run was cancelled.
  private func connect(_ connection: inout LibGPS?) -> GPSDSession.Event? {
    // Resolving and connecting may take long but always end, so the thread counts as waiting.
    liveness.beginWaiting()
    defer { liveness.beginWorking() }
    // The resolver is the only call here that cannot be interrupted.
    let resolved = run.block { () -> Result<[SocketAddress], GPSDConnectionError> in
      Result { () throws(GPSDConnectionError) in try SocketAddress.resolve(address) }
    }
    guard let resolved else { return nil }
    let connector = GPSDConnector(timeoutNanoseconds: session.options.connectNanoseconds)
    do throws(GPSDConnectionError) {
      let socket = try connector.connect(to: try resolved.get(), wake: run.wake.descriptor)
      guard let socket else { return nil }
      connection = try LibGPS(adopting: socket)
      return .connected
    } catch {
      return .connectFailed(error)
    }
  }

  /// Waits for input.
  ///
  /// `isStalled` means that the process was paused, so that the input may be old.
  private mutating func wait(
    for descriptor: Int32, milliseconds: Int32
  ) throws(GPSDError) -> (WaitResult, isStalled: Bool) {
    // poll(2) ignores a negative descriptor.
    var descriptors = [
      pollfd(fd: run.wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let ready: Int32
    var isStalled = false
    do throws(SystemCallFailure) {
      ready = try SystemCall.run("poll") {
        stall.beginWait(atMostMilliseconds: milliseconds, at: .now())
        liveness.beginWaiting()
        let ready = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        liveness.beginWorking()
        isStalled = stall.endWait(at: .now()) || isStalled
        return ready
      }
    } catch {
      throw GPSDError(error, address: address)
    }
    guard ready > 0 else { return (.timeOut, isStalled) }
    return (descriptors[0].revents != 0 ? .woken : .readable, isStalled)
  }

  /// The timeout for poll(2), rounded up so that the deadline has passed when poll(2) times out.
  private func millisecondsLeft() -> Int32 {
    guard let deadline = session.deadline else { return Int32(Self.longestWaitMilliseconds) }
    let (left, overflow) = deadline.nanoseconds.subtractingReportingOverflow(
      MonotonicTime.now().nanoseconds)
    let milliseconds = overflow ? 0 : left / 1_000_000 + 1
    return Int32(max(0, min(Self.longestWaitMilliseconds, milliseconds)))
  }
}
