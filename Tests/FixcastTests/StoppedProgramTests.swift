// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Positioning
import Receivers
import Synchronization
import Testing

/// The program stopped as a whole while its receiver goes on, as by a debugger or a suspend.
@Suite(.timeLimit(.minutes(1))) struct StoppedProgramTests {
  /// What is read of a report.
  private struct Report: Decodable {
    var `class`: String
    var time: String?
    var age: Double?

    /// Its epoch, as ``Feeder/times`` has it.
    var milliseconds: Int64? {
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      guard let time, let date = try? Date(time, strategy: style) else { return nil }
      return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
  }

  /// A receiver at five epochs a second whose line keeps all that nobody has read, and when each
  /// epoch was written.
  private final class Feeder: Sendable {
    private static let periodMilliseconds = 200

    let terminal: PseudoTerminal
    private let receiver: Mutex<SimulatedReceiver>
    private let written = Mutex<[Int64: MonotonicTime]>([:])

    init() throws {
      terminal = try PseudoTerminal(permissions: 0o666)
      var configuration = SimulatedReceiver.Configuration(
        start: UTCTime(secondsSince1970: Int64(Date().timeIntervalSince1970)))
      configuration.rateHertz = 1000 / Self.periodMilliseconds
      receiver = Mutex(try SimulatedReceiver(configuration))
    }

    /// When each epoch was written, by its time in milliseconds since 1970.
    var times: [Int64: MonotonicTime] { written.withLock { $0 } }

    func run() async {
      while !Task.isCancelled {
        let epoch = receiver.withLock { $0.nextEpoch() }
        terminal.write(epoch.bytes)
        let time = epoch.time.secondsSince1970 * 1000 + Int64(epoch.time.nanosecond / 1_000_000)
        written.withLock { $0[time] = .now() }
        try? await ContinuousClock().sleep(for: .milliseconds(Self.periodMilliseconds))
      }
    }

    /// Returns when an epoch has been written that long after a moment.
    func wait(seconds: Double, after start: MonotonicTime) async {
      while !Task.isCancelled, times.values.allSatisfy({ $0.seconds(since: start) < seconds }) {
        try? await ContinuousClock().sleep(for: .milliseconds(Self.periodMilliseconds))
      }
    }
  }

  private func position(_ line: String) -> Report? {
    guard let report = try? JSONDecoder().decode(Report.self, from: Data(line.utf8)) else {
      return nil
    }
    return report.class == "TPV" ? report : nil
  }

  @Test("goes on with what comes, and gives out nothing that has waited in the port meanwhile")
  func dropsWhatWaited() async throws {
    let feeder = try Feeder()
    let sending = Task { await feeder.run() }
    try await stop(readerOf: "serial:\(feeder.terminal.devnode)", fedBy: feeder)
    sending.cancel()
    await sending.value
    #expect(feeder.terminal.droppedByteCount == 0, "all of it waited in the port")
  }

  @Test(
    "gives out nothing that gpsd has sent meanwhile",
    .enabled(if: access("/usr/sbin/gpsd", X_OK) == 0, "needs gpsd: make test"))
  func dropsWhatGPSDSent() async throws {
    let feeder = try Feeder()
    let sending = Task { await feeder.run() }
    let port = try Loopback.ipv4.freePort()
    // Several gpsd on one host would share one segment of memory.
    try await ChildProcess.use(
      path: "/usr/sbin/gpsd",
      arguments: ["-N", "-n", "-b", "-S", "\(port)", feeder.terminal.devnode],
      environment: ["GPSD_SHM_KEY": "0x\(String(0x4651_0000 + Int(port), radix: 16))"]
    ) { _ in
      try await stop(readerOf: "gpsd:127.0.0.1:\(port)", fedBy: feeder)
    }
    sending.cancel()
    await sending.value
  }

  /// Stops a program that reads a source for four seconds, and looks at what it says afterwards.
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
        $0.dropFirst(before).count { position($0) != nil } >= 3
      }
      let reports = lines.dropFirst(before).compactMap(position)
      // What was read before the stop may be written after it, with the age that it has by then; one
      // may have been stopped between working out its age and writing it.
      let written = feeder.times
      var inFlight = 0
      for report in reports {
        let time = try #require(report.milliseconds)
        let at = try #require(written[time], "\(time) was never sent")
        let age = try #require(report.age)
        let isOfBefore = at <= stopped.advanced(byNanoseconds: 200_000_000)
        if isOfBefore, age <= 3 { inFlight += 1 }
        #expect(
          isOfBefore || at >= resumed.advanced(byNanoseconds: -200_000_000),
          "\(time) had waited for \(resumed.seconds(since: at)) s, told with an age of \(age) s")
      }
      #expect(inFlight <= 1, "\(reports)")
      #expect(reports.count { ($0.age ?? .infinity) < 2 } >= 2)
    }
  }
}
