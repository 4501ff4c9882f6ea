// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// Called when a lookup begins to ask a provider; what it returns is called once with what the
/// requests have found out about the network, or not at all where they have found out nothing.
public typealias RequestObserver = @Sendable () -> @Sendable (PathVerifier.Outcome) -> Void

/// Who watches the requests of a task and of its children.
enum RequestObservation {
  /// A task's own, so that no provider has to know of it.
  @TaskLocal static var observer: RequestObserver?
}

extension WeatherClient {
  /// The same client, whose requests tell on the side whether they got out.
  ///
  /// Makes no request of its own.
  ///
  /// - Parameter observer: Called with each request.
  /// - Returns: The client.
  public func observed(by observer: @escaping RequestObserver) -> WeatherClient {
    let (search, weather) = (searchLocations, weather)
    return WeatherClient(
      searchLocations: { coordinate throws(WeatherError) in
        try await RequestObservation.$observer.withValue(observer) {
          await Self.result { () throws(WeatherError) in try await search(coordinate) }
        }.get()
      },
      weather: { target throws(WeatherError) in
        try await RequestObservation.$observer.withValue(observer) {
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
