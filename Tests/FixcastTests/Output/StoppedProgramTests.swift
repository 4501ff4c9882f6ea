// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Positioning
import ReceiverSimulator
import Receivers
import Synchronization
import SystemSupport
import Testing

/// The program stopped by SIGSTOP while its receiver continues to send.
@Suite(.timeLimit(.minutes(5))) struct StoppedProgramTests {
  /// The decoded part of a report.
  private struct Report: Decodable {
    var `class`: String
    var time: String?
    var age: Double?

    /// The time of the epoch in milliseconds since 1970.
    var milliseconds: Int64? {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      guard let time, let date = try? Date(time, strategy: style) else { return nil }
      return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
  }

  /// An epoch, and when writing the epoch began and ended.
  private struct Epoch: Sendable {
    /// The time of the epoch in milliseconds since 1970.
    var milliseconds: Int64
    var writeBegan: MonotonicTime
    var writeEnded: MonotonicTime
  }

  /// A receiver at five epochs per second on a pseudo-terminal that buffers unread data.
  private final class Feeder: Sendable {
    private static let periodMilliseconds = 200

    let terminal: PseudoTerminal
    private let receiver: Mutex<SimulatedReceiver>
    private let written = EventRecorder<Epoch>()

    init() throws {
      terminal = try PseudoTerminal(permissions: 0o666)
      var configuration = SimulatedReceiver.Configuration(
        start: UTCTime(secondsSince1970: Int64(Date().timeIntervalSince1970)))
      configuration.rateHertz = 1000 / Self.periodMilliseconds
      receiver = Mutex(try SimulatedReceiver(configuration))
    }

    /// Waits for the epoch with this time and returns it; `nil` if the test is cancelled.
    ///
    /// The wait is necessary, since the program may report an epoch before this object records it.
    func epoch(at milliseconds: Int64) async -> Epoch? {
      await written.wait { $0.contains { $0.milliseconds == milliseconds } }
        .first { $0.milliseconds == milliseconds }
    }

    func run() async {
      while !Task.isCancelled {
        let epoch = receiver.withLock { $0.nextEpoch() }
        let time = epoch.time.secondsSince1970 * 1000 + Int64(epoch.time.nanosecond / 1_000_000)
        let writeBegan = MonotonicTime.now()
        terminal.write(epoch.bytes)
        written.record(Epoch(milliseconds: time, writeBegan: writeBegan, writeEnded: .now()))
        try? await ContinuousClock().sleep(for: .milliseconds(Self.periodMilliseconds))
      }
    }

    /// Returns after an epoch has been written `seconds` after `start`.
    func wait(seconds: Double, after start: MonotonicTime) async {
      await written.wait { $0.contains { $0.writeBegan.seconds(since: start) >= seconds } }
    }
  }

  private func position(_ line: String) -> Report? {
    guard let report = try? JSONDecoder().decode(Report.self, from: Data(line.utf8)) else {
      return nil
    }
    return report.class == "TPV" ? report : nil
  }

  @Test func `after a stop, the program drops the data that the port buffered`() async throws {
    let feeder = try Feeder()
    let sending = Task { await feeder.run() }
    try await stop(readerOf: "serial:\(feeder.terminal.devnode)", fedBy: feeder)
    sending.cancel()
    await sending.value
    #expect(
      feeder.terminal.droppedByteCount == 0,
      "the pseudo-terminal dropped data, so the port did not buffer all of it")
  }

  @Test(.enabled(if: GPSDaemon.isInstalled, "needs gpsd: make test"))
  func `after a stop, the program drops the data that gpsd sent during the stop`() async throws {
    let feeder = try Feeder()
    let sending = Task { await feeder.run() }
    let port = try ReservedPort()
    defer { port.release() }
    try await GPSDaemon.serve(
      devnode: feeder.terminal.devnode, port: port.number, options: ["-n", "-b"]
    ) { _ in
      try await stop(readerOf: "gpsd:127.0.0.1:\(port.number)", fedBy: feeder)
    }
    sending.cancel()
    await sending.value
  }

  /// Starts a program that reads a source, stops it for four seconds, then checks its reports.
  private func stop(readerOf source: String, fedBy feeder: Feeder) async throws {
    let arguments = ["watch", "--source", source, "--no-weather", "--json"]
    try await ChildProcess.use(path: Program.path, arguments: arguments) { program in
      await program.lines.wait { $0.count { position($0)?.time != nil } >= 3 }
      program.send(SIGSTOP)
      let stopped = MonotonicTime.now()
      await feeder.wait(seconds: 4, after: stopped)
      let before = program.lines.events.count
      let resumed = MonotonicTime.now()
      program.send(SIGCONT)
      let lines = await program.lines.wait {
        $0.dropFirst(before).count { (position($0)?.age ?? .infinity) < 2 } >= 3
      }
      let reports = lines.dropFirst(before).compactMap(position)
      // A fix that was read before the stop may be written after the stop with its real age. For at
      // most one fix, the stop may fall between the computation of its age and the write.
      var inFlight = 0
      for report in reports {
        let time = try #require(report.milliseconds)
        let epoch = try #require(await feeder.epoch(at: time), "\(time) was never sent")
        let age = try #require(report.age)
        let isFromBeforeStop = epoch.writeBegan <= stopped.advanced(byNanoseconds: 200_000_000)
        if isFromBeforeStop, age <= 3 { inFlight += 1 }
        #expect(
          isFromBeforeStop || epoch.writeEnded >= resumed.advanced(byNanoseconds: -200_000_000),
          "\(time) was buffered for \(resumed.seconds(since: epoch.writeEnded)) s, but printed as \(age) s old"
        )
      }
      #expect(inFlight <= 1, "\(reports)")
      #expect(reports.count { ($0.age ?? .infinity) < 2 } >= 3, "the test timed out")
    }
  }
}
