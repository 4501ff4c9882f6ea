// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// The real gpsd with the simulator, which gpsd must recognize as a receiver.
@Suite(.timeLimit(.minutes(5))) struct GPSDInteroperabilityTests {
  /// The compared values of a TPV.
  private struct Report {
    var time: String
    var latitude: Double
    var longitude: Double
    var altitude: Double
    var speed: Double
  }

  @Test(.enabled(if: GPSDaemon.isInstalled, "needs gpsd and gpsd-clients: make deps"))
  func `gpsd reports three-dimensional fixes with the position and time of a simulated receiver`() async throws {
    // 2026-11-21T12:00:00Z
    var configuration = SimulatedReceiver.Configuration(start: .noon)
    configuration.rateHertz = 5
    let receiver = try SimulatedReceiver(configuration)
    let simulated = try SimulatedTerminal(
      receiver: receiver, terminal: PseudoTerminal(permissions: 0o666), baud: 115_200)

    let lines = try await lines(of: simulated, until: 15)
    let reports = lines.compactMap(Self.report)
    #expect(reports.count >= 15)
    let expectedEpochs = expectedEpochs(of: receiver, seconds: 60)
    for report in reports {
      let expected = try #require(expectedEpochs[report.time], "no epoch at \(report.time)")
      #expect(abs(report.latitude - expected.coordinate.latitudeDegrees) < 1e-4)
      #expect(abs(report.longitude - expected.coordinate.longitudeDegrees) < 1e-4)
      #expect(abs(report.altitude - expected.altitudeMetersAboveSeaLevel) < 10)
      #expect(abs(report.speed - expected.speedMetersPerSecond) < 1)
    }
    let skies = lines.filter { $0.contains(#""class":"SKY""#) && $0.contains(#""satellites":["#) }
    // gpsd 3.22 omits the used Galileo satellites, because gpsd takes their numbers for GPS.
    let used = skies.map { $0.ranges(of: #""used":true"#).count }.max() ?? 0
    #expect(used >= 8)
  }

  /// Returns the lines of gpspipe until gpsd has reported `count` three-dimensional fixes.
  private func lines(of simulated: SimulatedTerminal, until count: Int) async throws -> [String] {
    // -b: gpsd does not write to the receiver.
    try await GPSDaemon.use(devnode: simulated.terminal.devnode, options: ["-b"]) { client in
      // gpsd needs about one second to recognize the receiver.
      let sending = Task { await simulated.run() }
      let lines = await client.lines.wait { lines in
        lines.count { Self.report($0) != nil } >= count
      }
      sending.cancel()
      await sending.value
      return lines
    }
  }

  private static func report(_ line: String) -> Report? {
    guard line.contains(#""class":"TPV""#), line.contains(#""mode":3"#),
      let time = value("time", in: line), let latitude = number("lat", in: line),
      let longitude = number("lon", in: line), let altitude = number("altMSL", in: line),
      let speed = number("speed", in: line)
    else { return nil }
    return Report(time: time, latitude: latitude, longitude: longitude, altitude: altitude, speed: speed)
  }

  private static func value(_ key: String, in line: String) -> String? {
    guard let range = line.firstRange(of: "\"\(key)\":") else { return nil }
    let rest = line[range.upperBound...]
    return String(rest.prefix { $0 != "," && $0 != "}" }.filter { $0 != "\"" })
  }

  private static func number(_ key: String, in line: String) -> Double? {
    value(key, in: line).flatMap { Double($0) }
  }

  private func expectedEpochs(of receiver: SimulatedReceiver, seconds: Int) -> [String: SimulatedEpoch] {
    var (receiver, expectedEpochs) = (receiver, [String: SimulatedEpoch]())
    for _ in 0..<(seconds * receiver.configuration.rateHertz) {
      let epoch = receiver.nextEpoch()
      let (date, time) = (epoch.time.date.civil, epoch.time.timeOfDay)
      func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
      let milliseconds = Int(time.nanosecond / 1_000_000)
      let fraction = String(repeating: "0", count: 3 - "\(milliseconds)".count) + "\(milliseconds)"
      let clock = [time.hour, time.minute, time.second].map { two(Int($0)) }
      expectedEpochs[
        "\(date.year)-\(two(date.month))-\(two(date.day))T"
          + "\(clock.joined(separator: ":")).\(fraction)Z"] = epoch
    }
    return expectedEpochs
  }
}
