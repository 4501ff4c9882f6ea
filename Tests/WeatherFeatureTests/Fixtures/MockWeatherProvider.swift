// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Synchronization
import WeatherClient

/// A mock provider with one place per degree of latitude, which records calls.
final class MockWeatherProvider: Sendable {
  enum Call: Equatable {
    case search(Coordinate)
    case weather(Coordinate)
  }

  let calls = EventRecorder<Call>()
  /// The held calls that have returned after their release.
  let returned = EventRecorder<Call>()
  /// The held calls that the test has released.
  private let released = EventRecorder<Call>()
  private let held: Mutex<[Call]>
  private let failure = Mutex<WeatherError?>(nil)
  private let hasPlaces = Mutex(true)

  init(holding held: [Call] = []) { self.held = Mutex(held) }

  var client: WeatherClient {
    WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        await self.recordAndHold(.search(coordinate))
        return self.hasPlaces.withLock { $0 } ? [.of(coordinate)] : []
      },
      weather: { target throws(WeatherError) in
        guard case .coordinate(let coordinate) = target else { throw .unsupported("ids") }
        await self.recordAndHold(.weather(coordinate))
        if let failure = self.failure.withLock({ $0 }) { throw failure }
        return .moderate(at: coordinate)
      })
  }

  func fail(_ error: WeatherError?) { failure.withLock { $0 = error } }

  func removePlaces() { hasPlaces.withLock { $0 = false } }

  /// Releases a held call, and waits until it returns.
  func release(_ call: Call) async {
    released.record(call)
    await returned.wait { $0.contains(call) }
  }

  private func recordAndHold(_ call: Call) async {
    calls.record(call)
    guard held.withLock({ $0.contains(call) }) else { return }
    // Wait in an unstructured task, which ignores cancellation of the caller.
    let released = released
    await Task { _ = await released.wait { $0.contains(call) } }.value
    returned.record(call)
  }
}

extension Place {
  /// Returns the place of a coordinate, one for each degree of latitude.
  static func of(_ coordinate: Coordinate) -> Place {
    let degree = Int(coordinate.latitudeDegrees.rounded(.down))
    return Place(id: degree, title: "Place \(degree)", coordinate: coordinate)
  }
}

extension WeatherReport {
  /// Returns a report with a current temperature of 25 degrees, and a day with 20 to 30 degrees.
  static func moderate(at coordinate: Coordinate) -> WeatherReport {
    var report = WeatherReport(coordinate: coordinate, provider: "played", kind: .forecast)
    report.now.temperatureDegreesCelsius = 25
    var day = DayWeather(date: UTCDate(daysSince1970: 0))
    day.lowestTemperatureDegreesCelsius = 20
    day.highestTemperatureDegreesCelsius = 30
    report.days = [day]
    return report
  }
}
