// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Synchronization
import Testing

@testable import Receivers

/// A simulated receiver, a port for a gpsd that reads the receiver, and a source for this gpsd.
final class RealGPSDFixture: Sendable {
  let start: Coordinate
  private let terminal: PseudoTerminal
  private let port: ReservedPort
  private let simulationTask = Mutex<Task<Void, Never>?>(nil)
  /// The current receiver before its first epoch, and its terminal.
  private let simulation = Mutex<(SimulatedReceiver, SimulatedTerminal)?>(nil)
  /// The start times of all receivers, in the receiver's time and in monotonic time.
  private let starts = Mutex<[(utc: UTCTime, at: MonotonicTime)]>([])
  let source: GPSDSource

  var devnode: String { terminal.devnode }

  /// Makes a fixture whose receiver is stopped.
  ///
  /// - Parameter silence: The time without a report after which the source reports a loss.
  /// - Throws: An error if no pseudo-terminal or port is available.
  init(silence: Duration = .milliseconds(4500)) throws {
    // gpsd drops root privileges and must be able to reopen the devnode.
    terminal = try PseudoTerminal(permissions: 0o666)
    var preview = try Self.receiver()
    start = preview.nextEpoch().coordinate
    port = try ReservedPort()
    let address = try #require(GPSDAddress(host: "127.0.0.1", port: port.number))
    source = GPSDSource(address: address, silence: silence)
  }

  /// Runs the source and the receiver during `body`.
  func use(_ body: (EventRecorder<FixSourceEvent>) async throws -> Void) async throws {
    let events = EventRecorder<FixSourceEvent>()
    let running = Task { [source] in try await source.run { events.record($0) } }
    try startReceiver()
    let result: Result<Void, any Error>
    do { result = .success(try await body(events)) } catch { result = .failure(error) }
    await stopReceiver()
    running.cancel()
    try await running.value
    try result.get()
  }

  /// Starts a receiver with the current time.
  func startReceiver() throws {
    let receiver = try Self.receiver()
    var preview = receiver
    let first = preview.nextEpoch().time
    starts.withLock { $0.append((first, .now())) }
    let simulated = try SimulatedTerminal(receiver: receiver, terminal: terminal, baud: 115_200)
    simulation.withLock { $0 = (receiver, simulated) }
    let task = Task { await simulated.run() }
    simulationTask.withLock { $0 = task }
  }

  private static func receiver() throws -> SimulatedReceiver {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var configuration = SimulatedReceiver.Configuration(start: UTCTime(secondsSince1970: Int64(time.tv_sec)))
    configuration.rateHertz = 5
    return try SimulatedReceiver(configuration)
  }

  /// The number of bytes that gpsd has written to the receiver.
  var writtenByteCount: UInt64 { simulation.withLock { $0?.1.counters.receivedBytes } ?? 0 }

  /// Returns the simulated epoch of a time, or `nil` if there is no such epoch.
  func simulatedEpoch(at time: UTCTime) -> SimulatedEpoch? {
    guard var receiver = simulation.withLock({ $0?.0 }) else { return nil }
    // 100 seconds at 5 Hz, longer than any test.
    for _ in 0..<500 {
      let epoch = receiver.nextEpoch()
      if epoch.time == time { return epoch }
    }
    return nil
  }

  /// Returns the scheduled sending time of an epoch, or `nil` for a time before the first epoch.
  func sendingTime(of time: UTCTime) -> MonotonicTime? {
    let starts = starts.withLock { $0 }
    guard let last = starts.last(where: { $0.utc <= time }) else { return nil }
    return last.at.advanced(byNanoseconds: time.nanoseconds(since: last.utc))
  }

  /// Returns the index of the receiver that sent an epoch, in the order of the receivers' starts.
  ///
  /// Returns `nil` for a time before the first start.
  func receiverIndex(at time: UTCTime) -> Int? {
    starts.withLock { $0 }.lastIndex { $0.utc <= time }
  }

  func stopReceiver() async {
    let task = simulationTask.withLock { $0 }
    task?.cancel()
    await task?.value
  }

  /// Writes a line to the port that gpsd reads, beside the receiver's output.
  func write(_ line: String) { terminal.write(Array(line.utf8)) }

  func hangUp() { terminal.hangUp() }

  /// Runs a gpsd during `body`.
  ///
  /// gpsd writes to the receiver unless `options` contains `-b`.
  func withGPSD<Value>(
    options: [String] = ["-b"], endedBy signal: Int32 = SIGTERM, _ body: () async throws -> Value
  ) async throws -> Value {
    try await GPSDaemon.serve(devnode: devnode, port: port.number, options: ["-n", "-D", "2"] + options) { daemon in
      let value = try await body()
      daemon.send(signal)
      return value
    }
  }

  /// Waits until another client of the same gpsd has received a position.
  func waitForPosition() async throws {
    var hasPosition = false
    // gpspipe exits if gpsd does not listen yet, so retry.
    while !hasPosition, !Task.isCancelled {
      try await ChildProcess.use(path: "/usr/bin/gpspipe", arguments: ["-w", "127.0.0.1:\(port.number)"]) { client in
        let ended = Task {
          _ = await client.wait()
          client.lines.record("ended")
        }
        let lines = await client.lines.wait { lines in
          lines.contains {
            $0 == "ended" || ($0.contains(#""class":"TPV""#) && $0.contains(#""lat":"#))
          }
        }
        hasPosition = !lines.contains("ended")
        client.send(SIGTERM)
        await ended.value
      }
    }
    try #require(hasPosition)
  }
}
