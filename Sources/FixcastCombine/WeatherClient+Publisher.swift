// SPDX-License-Identifier: Apache-2.0

public import OpenCombine
public import Positioning
public import WeatherClient

/// Publishers of one result or one failure.
///
/// Each subscription makes a lookup of its own when it first requests a value. Cancelling the
/// subscription cancels the lookup. Without a scheduler, the result is delivered on the main actor.
extension WeatherClient {
  /// Returns a publisher of the places near a coordinate: first the place that describes it best,
  /// then the others by distance.
  @MainActor
  public func searchLocationsPublisher(
    _ coordinate: Coordinate
  ) -> AnyPublisher<[Place], WeatherError> {
    places(near: coordinate, .mainActor)
  }

  /// Returns a publisher of the places near a coordinate, which delivers on a scheduler.
  public func searchLocationsPublisher(
    _ coordinate: Coordinate, on scheduler: some Scheduler
  ) -> ScheduledPublisher<[Place], WeatherError> {
    let delivery = Delivery.on(scheduler)
    return ScheduledPublisher { places(near: coordinate, delivery) }
  }

  /// Returns a publisher of the weather at a place or a coordinate.
  @MainActor
  public func weatherPublisher(
    _ target: WeatherTarget
  ) -> AnyPublisher<WeatherReport, WeatherError> {
    report(for: target, .mainActor)
  }

  /// Returns a publisher of the weather at a place or a coordinate, which delivers on a scheduler.
  public func weatherPublisher(
    _ target: WeatherTarget, on scheduler: some Scheduler
  ) -> ScheduledPublisher<WeatherReport, WeatherError> {
    let delivery = Delivery.on(scheduler)
    return ScheduledPublisher { report(for: target, delivery) }
  }

  private func places(
    near coordinate: Coordinate, _ delivery: Delivery
  ) -> AnyPublisher<[Place], WeatherError> {
    StreamPublisher(delivery) {
      Lookup { () async throws(WeatherError) in try await searchLocations(coordinate) }
    }
    .eraseToAnyPublisher()
  }

  private func report(
    for target: WeatherTarget, _ delivery: Delivery
  ) -> AnyPublisher<WeatherReport, WeatherError> {
    StreamPublisher(delivery) {
      Lookup { () async throws(WeatherError) in try await weather(target) }
    }
    .eraseToAnyPublisher()
  }
}
