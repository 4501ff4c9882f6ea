// SPDX-License-Identifier: Apache-2.0

import FixcastCombine
import FixcastTesting
import OpenCombine
import Positioning
import Testing
import WeatherClient

@Suite("Weather publishers", .timeLimit(.minutes(5)))
@MainActor struct WeatherPublisherTests {
  private let berlin = Coordinate.at(52.52, 13.405)

  @Test func `weather publishers publish one result on the main actor and finish`() async {
    let events = EventRecorder<String>()
    let lookup = WeatherClient.happyPath.weatherPublisher(.coordinate(berlin)).sink {
      MainActor.assertIsolated()
      events.record("weather \($0)")
    } receiveValue: {
      MainActor.assertIsolated()
      events.record("\($0.days.count) days")
    }
    #expect(await events.wait(for: 2) == ["2 days", "weather finished"])
    let places = EventRecorder<String>()
    let search = WeatherClient.happyPath.searchLocationsPublisher(berlin).sink {
      places.record("places \($0)")
    } receiveValue: {
      places.record($0.map(\.title).joined())
    }
    #expect(await places.wait(for: 2) == ["New York", "places finished"])
    for subscription in [lookup, search] { subscription.cancel() }
  }

  @Test func `a failed lookup is the typed failure of the weather publishers`() async {
    let failures = EventRecorder<Subscribers.Completion<WeatherError>>()
    let client = WeatherClient.failed(.timedOut(afterSeconds: 15))
    let subscriptions = [
      client.weatherPublisher(.place(1)).sink {
        failures.record($0)
      } receiveValue: { _ in
      },
      client.searchLocationsPublisher(berlin).sink {
        failures.record($0)
      } receiveValue: { _ in
      },
    ]
    let expected = Subscribers.Completion<WeatherError>.failure(.timedOut(afterSeconds: 15))
    #expect(await failures.wait(for: 2) == [expected, expected])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `each subscription to a weather publisher makes a lookup of its own`() async {
    let lookups = EventRecorder<WeatherTarget>()
    var client = WeatherClient.happyPath
    client.weather = { [weather = client.weather] target throws(WeatherError) in
      lookups.record(target)
      return try await weather(target)
    }
    let publisher = client.weatherPublisher(.place(7))
    #expect(lookups.events.isEmpty)
    let reports = EventRecorder<WeatherReport>()
    let subscriptions = (1...2).map { _ in
      publisher.sink { _ in
      } receiveValue: {
        reports.record($0)
      }
    }
    await reports.wait(for: 2)
    #expect(lookups.events == [.place(7), .place(7)])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `cancelling a subscription to a weather publisher cancels the lookup`() async {
    let clock = ManualClock()
    let events = EventRecorder<String>()
    let client = WeatherClient.slow(clock: clock)
    let subscription = client.weatherPublisher(.place(1)).sink {
      events.record("\($0)")
    } receiveValue: { _ in
      events.record("report")
    }
    await clock.waitForSleepers()
    subscription.cancel()
    await clock.waitUntilNoSleepers()
    // A later lookup is delivered on the same actor, after anything the cancelled one would deliver.
    let later = EventRecorder<Bool>()
    let other = WeatherClient.happyPath.weatherPublisher(.place(1)).sink { _ in
    } receiveValue: { _ in
      later.record(true)
    }
    await later.wait(for: 1)
    #expect(events.events.isEmpty)
    other.cancel()
  }
}
