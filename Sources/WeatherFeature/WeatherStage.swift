// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Pipeline
public import Positioning
public import WeatherClient

/// The weather at a location.
public struct WeatherEnrichment: Enrichment, Equatable {
  /// The report.
  public var report: WeatherReport

  /// Makes an enrichment.
  ///
  /// - Parameter report: The report.
  public init(_ report: WeatherReport) { self.report = report }
}

/// Looks up the weather for locations, one at a time; the newest wins.
public struct WeatherStage: Stage {
  /// The name it is reported under.
  public var name: String { "weather" }
  private let client: WeatherClient
  private let policy: LookupPolicy
  private let now: @Sendable () -> MonotonicTime

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - client: Who is asked.
  ///   - policy: When.
  ///   - now: The present reading of the clock that locations are received by.
  public init(
    client: WeatherClient, policy: LookupPolicy = LookupPolicy(),
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.client = client
    self.policy = policy
    self.now = now
  }

  /// Looks up the weather at one location, whether or not the policy thinks that it is due.
  ///
  /// - Parameter value: The location.
  /// - Returns: It, with its weather, stamped with when the answer arrived.
  /// - Throws: `WeatherError` where there is no answer.
  public func enrich(
    _ value: EnrichedLocation
  ) async throws(WeatherError) -> EnrichedLocation {
    var answer = try await client.weather(.coordinate(value.location.coordinate))
    answer.receivedAt = now()
    var value = value
    value.add(WeatherEnrichment(answer))
    return value
  }

  /// Runs until the input ends or the task is cancelled.
  ///
  /// - Parameters:
  ///   - input: Locations. While one is looked up, the newest of the others waits.
  ///   - deliver: Takes each location with its weather; one without an answer does not go on.
  ///   - report: Takes failures, and what becomes of each lookup.
  public func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    var policy = policy
    for await value in input {
      let coordinate = value.location.coordinate
      guard policy.takeDue(at: coordinate, now: now()) else { continue }
      report(LookupEvent.asked)
      do {
        let value = try await enrich(value)
        report(LookupEvent.answered)
        policy.answered(for: coordinate, now: now())
        deliver(value)
      } catch {
        if error == .cancelled, Task.isCancelled { return }
        if case .rateLimited(let seconds, _) = error {
          policy.refused(forSeconds: seconds, now: now())
        }
        report(LookupEvent.failed)
        report(ErrorEvent(source: name, message: "\(error)"))
      }
    }
  }
}
