// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import MQTTClient
import Positioning
import SystemSupport
import Testing

@testable import fixcast_fleet

@Suite("Connections of the fleet consumer to its broker")
struct BrokerRetryTests {
  private static let closed = MQTTFailure("the broker closed the connection", wasClosed: true)

  /// Runs connections of a number of seconds; returns the lines, and the delays after them.
  private static func run(
    _ retry: inout BrokerRetry, _ durations: [Double], failure: MQTTFailure = Self.closed
  ) throws -> (lines: [String], delaysSeconds: [Double]) {
    var (lines, delays): ([String], [Double]) = ([], [])
    var generator = SeededGenerator(seed: 1)
    let address = try #require(BrokerAddress("mqtt://b"))
    var now = MonotonicTime.at(0)
    for duration in durations {
      lines += [retry.accepted(by: address, at: now)].compactMap { $0 }
      now = now.advanced(bySeconds: duration)
      let (line, delay) = retry.failed(failure, at: now, using: &generator)
      lines += [line].compactMap { $0 }
      delays.append(Double(delay) / 1e9)
    }
    return (lines, delays)
  }

  @Test func `another client with the same id is named in one line, and attempts become rarer`() throws {
    var retry = BrokerRetry(clientID: "fixcast-fleet-7")
    let (lines, delays) = try Self.run(&retry, Array(repeating: 0.2, count: 100))
    #expect(lines.count { $0.contains("another client") && $0.contains("fixcast-fleet-7") } == 1)
    #expect(lines.count < 6, "\(lines)")
    #expect(delays.dropFirst(6).allSatisfy { $0 >= 4 })
    #expect(delays.reduce(0, +) > 300)
  }

  @Test func `a connection of a minute begins a new series of attempts`() throws {
    var retry = BrokerRetry(clientID: "c")
    let (lines, delays) = try Self.run(&retry, Array(repeating: 61, count: 10))
    #expect(delays.allSatisfy { $0 <= 0.25 })
    #expect(lines.count == 20)
    #expect(!lines.contains { $0.contains("another client") })
  }

  @Test func `a connection that breaks for another reason does not look like another client`() throws {
    var retry = BrokerRetry(clientID: "c")
    let lines = try Self.run(
      &retry, Array(repeating: 5, count: 10), failure: MQTTFailure("the broker does not answer")
    ).lines
    #expect(!lines.contains { $0.contains("another client") })
  }
}
