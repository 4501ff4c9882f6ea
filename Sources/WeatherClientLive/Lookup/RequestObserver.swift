// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// Called when a lookup begins to ask a provider; what it returns is called once with what the
/// requests have found out about the network, or not at all where they have found out nothing.
public typealias RequestObserver = @Sendable () -> @Sendable (PathVerifier.Outcome) -> Void

/// The observer of the requests of a task and of its children.
enum RequestObservation {
  /// An observer as an object.
  ///
  /// Of a task's own value that is a function, the optimizing compiler (Swift 6.3) asks the runtime
  /// for the lowered type, which is none that the runtime knows: the program would crash.
  final class Watcher: Sendable {
    let begin: RequestObserver
    init(_ begin: @escaping RequestObserver) { self.begin = begin }
  }

  /// A task's own, so that no provider has to know of it.
  @TaskLocal static var watcher: Watcher?
}

extension WeatherClient {
  /// The same client, whose requests tell on the side whether they got out.
  ///
  /// Makes no request of its own.
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
