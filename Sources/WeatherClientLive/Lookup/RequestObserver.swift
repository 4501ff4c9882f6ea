// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// A callback for the network outcome of lookups.
///
/// The observer is called before the first request of a lookup. The function that it returns is
/// called once after the lookup with the outcome, or never if the lookup proves nothing about the
/// network.
public typealias RequestObserver = @Sendable () -> @Sendable (PathVerifier.Outcome) -> Void

/// The observer for requests of the current task and its child tasks.
enum RequestObservation {
  /// A class that wraps the observer.
  ///
  /// With a function type as task-local value, the optimized build (Swift 6.3) requests metadata
  /// for a lowered type that the runtime does not have, and crashes.
  final class Watcher: Sendable {
    let begin: RequestObserver
    init(_ begin: @escaping RequestObserver) { self.begin = begin }
  }

  /// The current observer.
  ///
  /// Task-local, so that providers need no parameter for it.
  @TaskLocal static var watcher: Watcher?
}

extension WeatherClient {
  /// Returns a copy of the client that reports to `observer` whether its requests reach the
  /// internet.
  ///
  /// Sends no additional requests.
  public func observed(by observer: @escaping RequestObserver) -> WeatherClient {
    let (search, weather) = (searchLocations, weather)
    let watcher = RequestObservation.Watcher(observer)
    return WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        try await RequestObservation.$watcher.withValue(watcher) {
          await Self.result { () throws(WeatherError) in try await search(coordinate) }
        }.get()
      },
      weather: { target throws(WeatherError) in
        try await RequestObservation.$watcher.withValue(watcher) {
          await Self.result { () throws(WeatherError) in try await weather(target) }
        }.get()
      })
  }

  private static func result<Value>(
    _ body: () async throws(WeatherError) -> Value
  ) async -> Result<Value, WeatherError> {
    do throws(WeatherError) { return .success(try await body()) } catch { return .failure(error) }
  }
}
