// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import Synchronization
internal import WeatherClient
internal import WeatherFeature

/// Publishes weather outlooks for the board's location.
///
/// An outlook combines stored reports, the board's own measurements, and the sun and the moon. This
/// service never contacts a provider.
///
/// The service runs beside the pipeline, and submits each outlook once. An observer, which is one
/// of the pipeline's sinks, passes events to the service without waiting.
final class OutlookService: Sendable {
  /// The weather queries of a configuration.
  struct Lookups: Sendable {
    let weatherQueries: WeatherQueries
    /// Whether the locations are this board's; false if they are from a recording.
    let isAtBoard: Bool
    /// Increases with each change of the weather configuration.
    let generation: Int64
  }

  /// A weather query, with the state at the time when the query became due.
  private struct OutlookRequest: Sendable {
    let question: WeatherQueries.Question
    let weatherQueries: WeatherQueries
    let obstacle: String?
    let report: WeatherReport?
    let authorization: Authorization?
  }

  private struct Observer: Sink {
    let name = OutlookService.observerName
    let observe: @Sendable (any PipelineEvent) -> Void
    func receive(_ event: any PipelineEvent) { observe(event) }
  }

  private struct State: Sendable {
    var lookups: Lookups?
    var lookupStatus = WeatherLookupStatus()
    var schedule = OutlookSchedule()
    var authorization: Authorization?
  }

  static let observerName = "outlook"
  private let now: @Sendable () -> MonotonicTime
  private let publish: @Sendable (OutlookEvent, Authorization?) -> Void
  private let state = Mutex(State())
  private let requests: AsyncStream<OutlookRequest>
  private let requestContinuation: AsyncStream<OutlookRequest>.Continuation

  /// Creates a service without lookups.
  ///
  /// - Parameters:
  ///   - now: The clock that timestamps locations.
  ///   - publish: Publishes an outlook. The second argument is the authorization at the time when
  ///     the outlook became due, which may have changed since. Must return at once.
  init(
    now: @escaping @Sendable () -> MonotonicTime,
    publish: @escaping @Sendable (OutlookEvent, Authorization?) -> Void
  ) {
    self.now = now
    self.publish = publish
    (requests, requestContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The status of the current lookups.
  var lookupStatus: WeatherLookupStatus { state.withLock { $0.lookupStatus } }

  /// Applies new lookups.
  ///
  /// Returns the observer to add to the pipeline's sinks.
  ///
  /// Resets the schedule and the status if the lookups have changed. If `lookups` is `nil`, lookups
  /// are disabled and no observer is returned.
  func begin(_ lookups: Lookups?) -> PluginSpecification? {
    state.withLock { state in
      if state.lookups?.generation != lookups?.generation {
        state.lookupStatus = WeatherLookupStatus()
      }
      // Without an observer, changes of the authorization were not recorded.
      if state.lookups == nil { state.authorization = nil }
      if state.lookups?.generation != lookups?.generation
        || state.lookups?.isAtBoard != lookups?.isAtBoard
      {
        state.schedule = OutlookSchedule()
      }
      state.lookups = lookups
    }
    guard let generation = lookups?.generation else { return nil }
    var observer = PluginSpecification(
      Self.observerName,
      .sink { Observer { [weak self] in self?.observe($0, of: generation) } },
      settings: generation, mailbox: .keepNewest)
    // Each event only triggers the check whether an outlook is due. Locations arrive as often as
    // sky events, so sky events are not needed.
    observer.takes = { !($0 is SkyEvent || $0 is OutlookEvent) }
    observer.mayBlock = false
    return observer
  }

  /// Publishes outlooks until the task is cancelled.
  ///
  /// Call once.
  func run() async {
    for await request in requests {
      var outlook = await request.weatherQueries.stored(request.question)
      outlook.reason =
        request.obstacle ?? request.weatherQueries.unusedReportReason(outlook, of: request.report)
      publish(OutlookEvent(outlook), request.authorization)
    }
  }

  /// Handles an event, unless it comes from the observer of an earlier generation.
  func observe(_ event: any PipelineEvent, of generation: Int64) {
    let now = now()
    state.withLock { state in
      if let event = event as? AuthorizationEvent { state.authorization = event.authorization }
      guard let lookups = state.lookups, lookups.generation == generation else { return }
      state.lookupStatus.take(event, at: now)
      guard
        let question = state.schedule.question(after: event, at: now, isAtBoard: lookups.isAtBoard)
      else { return }
      requestContinuation.yield(
        OutlookRequest(
          question: question, weatherQueries: lookups.weatherQueries,
          obstacle: state.schedule.obstacle,
          report: state.schedule.currentReport(at: now), authorization: state.authorization))
    }
  }
}
