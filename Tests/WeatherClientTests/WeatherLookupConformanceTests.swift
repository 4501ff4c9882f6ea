// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import Testing
import WeatherClient

/// Runs the conformance suite for lookups with mock clients.
@Suite("Weather lookups of mock clients", .timeLimit(.minutes(5)))
struct WeatherLookupConformanceTests {
  private let target = WeatherTarget.coordinate(.at(40.7, -74))

  @Test func `mock clients without a delay pass the conformance suite`() async throws {
    for client in [WeatherClient.happyPath, .empty] {
      let report = try await client.weather(target)
      #expect(
        await LookupConformance(expecting: report) { try await client.weather(target) }
          .breaches() == [])
      let places = try await client.searchLocations(.at(40.7, -74))
      #expect(
        await LookupConformance(expecting: places) {
          try await client.searchLocations(.at(40.7, -74))
        }.breaches() == [])
    }
    #expect(
      await LookupConformance<WeatherReport>(expecting: nil) {
        try await WeatherClient.failed.weather(target)
      }.breaches() == [])
  }

  @Test func `a slow mock client passes the conformance suite`() async throws {
    let clock = ManualClock()
    let client = WeatherClient.slow(.happyPath, by: .seconds(9), clock: clock)
    let suite = LookupConformance(
      expecting: try await WeatherClient.happyPath.weather(target),
      isWaiting: { await clock.waitForSleepers($0) },
      release: { count in
        await clock.waitForSleepers(count)
        clock.advance(by: .seconds(9))
      }, ask: { try await client.weather(target) })
    #expect(await suite.breaches() == [])
  }

  @Test func `the conformance suite detects lookups that break rules`() async {
    let patience = Duration.milliseconds(100)
    let count = Mutex(0)
    // This lookup returns a different number for each call.
    let numbering = LookupConformance(expecting: 1, patience: patience) {
      count.withLock {
        $0 += 1
        return $0
      }
    }
    #expect(
      await numbering.breaches() == [.answersAll, .cancelKeepsOthers, .answersAgain])

    // This lookup ignores cancellation, and waits until the gate is released below.
    let gate = EventRecorder<Void>()
    let uncancellable = LookupConformance(expecting: 1, patience: patience) {
      await Task { await gate.wait(for: 1).count }.value
    }
    #expect(await Set(uncancellable.breaches()) == Set(LookupConformance<Int>.Rule.allCases))
    gate.record(())
  }
}
