// SPDX-License-Identifier: Apache-2.0

public import Pipeline
internal import Positioning
public import WeatherClient

/// The place that a location is at.
public struct PlaceEnrichment: Enrichment, Equatable {
  /// The place.
  public var place: Place

  /// Makes an enrichment.
  public init(_ place: Place) { self.place = place }
}

/// Names the place of a location, where anybody knows one; invents none.
public struct PlaceStage: Stage {
  /// The name it is reported under.
  public var name: String { "place" }
  private let client: WeatherClient

  /// Makes a stage.
  public init(client: WeatherClient) { self.client = client }

  /// Looks up the place of one location.
  ///
  /// - Parameter value: The location.
  /// - Returns: It, with its place where anybody knows one.
  /// - Throws: `WeatherError` where nobody could be asked.
  public func enrich(
    _ value: EnrichedLocation
  ) async throws(WeatherError) -> EnrichedLocation {
    var value = value
    if let place = try await client.searchLocations(value.location.coordinate).first {
      value.add(PlaceEnrichment(place))
    }
    return value
  }

  /// Runs until the input ends or the task is cancelled.
  ///
  /// - Parameters:
  ///   - input: Locations.
  ///   - deliver: Takes each location, with its place where there is one: a location goes on
  ///     without.
  ///   - report: Takes failures.
  public func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    for await value in input {
      do {
        deliver(try await enrich(value))
      } catch {
        if error == .cancelled, Task.isCancelled { return }
        report(ErrorEvent(source: name, message: "\(error)"))
        deliver(value)
      }
    }
  }
}
