// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// A callback for the network outcome of lookups.
///
/// The observer is called before the first request of a lookup, and returns a function. After the
/// lookup, this function is called once with the outcome. If the lookup proves nothing about the
/// network, the function is not called.
public typealias RequestObserver = @Sendable () -> @Sendable (PathVerifier.Outcome) -> Void

/// The observer for requests of the current task and its child tasks.
enum RequestObservation {
  /// A class that contains the observer.
  ///
  /// With a function as the task-local value, an optimized build (Swift 6.3) crashes, because the
  /// runtime has no metadata for the lowered type of the function.
  final class Watcher: Sendable {
    let begin: RequestObserver
    init(_ begin: @escaping RequestObserver) { self.begin = begin }
  }

  /// The current observer, which is task-local, so that providers need no parameter for it.
  @TaskLocal static var watcher: Watcher?
}

extension WeatherClient {
  /// Returns a copy of the client that reports to `observer` whether requests reach the internet.
  ///
  /// The copy sends no additional requests.
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
