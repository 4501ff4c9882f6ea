// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastTesting
import Positioning
import Synchronization
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Runs the conformance suite for lookups with a live provider and a loopback server.
@Suite("Weather lookups, live", .timeLimit(.minutes(5)))
struct WeatherLookupConformanceTests {
  @Test func `a live provider passes the lookup conformance suite`() async throws {
    // The server holds each request until it is released, to test cancelled callers.
    let heldRequests = EventRecorder<DispatchSemaphore>()
    let released = Mutex(0)
    let release: @Sendable () -> Void = {
      let all = heldRequests.events
      let first = released.withLock { count in
        defer { count = all.count }
        return count
      }
      for semaphore in all.dropFirst(first) { semaphore.signal() }
    }
    let server = LoopbackServer { _ in
      let semaphore = DispatchSemaphore(value: 0)
      heldRequests.record(semaphore)
      _ = semaphore.wait(timeout: .now() + .seconds(50))
      return .answer(OpenMeteoTests.good)
    }
    defer {
      release()
      server.stop()
    }
    let client = WeatherClient.openMeteo(
      OpenMeteo(baseURL: server.baseURL), lookup: Exchange.lookup())
    // Compare only values, since the arrival times differ.
    let ask: @Sendable () async throws -> [Double?] = {
      let report = try await client.weather(.coordinate(.near(51.5074, -0.1278)))
      return [report.now.temperatureDegreesCelsius]
        + report.days.map(\.highestTemperatureDegreesCelsius)
    }
    let isWaiting: @Sendable (Int) async -> Void = { count in
      let before = released.withLock { $0 }
      await heldRequests.wait(for: before + count)
    }
    async let first = ask()
    await isWaiting(1)
    release()
    let expected = try await first
    #expect(expected.first == 11.4)
    let suite = LookupConformance(
      expecting: expected, isWaiting: isWaiting,
      release: { count in
        await isWaiting(count)
        release()
      }, ask: ask)
    #expect(await suite.breaches() == [])
  }
}
