// SPDX-License-Identifier: Apache-2.0

public import Pipeline
internal import Positioning
public import WeatherClient

/// The place that describes a location.
public struct PlaceEnrichment: Enrichment, Equatable {
  /// The place.
  public var place: Place

  /// Creates an enrichment.
  public init(_ place: Place) { self.place = place }
}

/// A pipeline stage that adds the place that describes each location best.
public struct PlaceStage: Stage {
  /// The name of the stage in reports.
  public var name: String { "place" }
  private let client: WeatherClient

  /// Creates a stage.
  public init(client: WeatherClient) { self.client = client }

  /// Looks up the place of one location.
  ///
  /// - Parameter value: The location.
  /// - Returns: The location, with a ``PlaceEnrichment`` if the client found a place.
  /// - Throws: `WeatherError` if the search failed.
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
  ///   - input: The locations.
  ///   - deliver: Called with each location, with or without a place.
  ///   - report: Called with an `ErrorEvent` for each failed search.
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
