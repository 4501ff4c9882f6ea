// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import Synchronization
internal import WeatherClient
internal import WeatherFeature

/// Publishes what is known of the weather where the board is, with a provider's answer and without:
/// what is stored, what the board measures, and always the sun and the moon.
///
/// It runs beside the pipeline, as the location manager does, and submits each outlook once. An
/// observer among the sinks shows it their events, and returns at once. Never contacts a provider.
final class OutlookService: Sendable {
  /// The lookups of a configuration.
  struct Lookups: Sendable {
    let weatherQueries: WeatherQueries
    /// Whether locations are of the board itself, and not of a recording.
    let isHere: Bool
    /// Differs from that of all lookups before.
    let generation: Int64
  }

  /// A question that is due, with what was known when it became so.
  private struct Query: Sendable {
    let question: WeatherQueries.Question
    let weatherQueries: WeatherQueries
    let obstacle: String?
    let answer: WeatherReport?
    let authorization: Authorization?
  }

  private struct Observer: Sink {
    let name = OutlookService.observerName
    let observe: @Sendable (any PipelineEvent) -> Void
    func receive(_ event: any PipelineEvent) { observe(event) }
  }

  private struct State: Sendable {
    var lookups: Lookups?
    var standing = WeatherStanding()
    var schedule = OutlookSchedule()
    var authorization: Authorization?
  }

  static let observerName = "outlook"
  private let now: @Sendable () -> MonotonicTime
  private let publish: @Sendable (OutlookEvent, Authorization?) -> Void
  private let state = Mutex(State())
  private let queries: AsyncStream<Query>
  private let query: AsyncStream<Query>.Continuation

  /// - Parameters:
  ///   - now: The present reading of the clock that locations are received by.
  ///   - publish: Takes an outlook, and the authorization under which it was due: another may hold
  ///     by then. Returns at once.
  init(
    now: @escaping @Sendable () -> MonotonicTime,
    publish: @escaping @Sendable (OutlookEvent, Authorization?) -> Void
  ) {
    self.now = now
    self.publish = publish
    (queries, query) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How the present lookups stand.
  var standing: WeatherStanding { state.withLock { $0.standing } }

  /// Begins anew where the lookups are others than before.
  ///
  /// - Parameter lookups: The lookups; `nil` while they are off.
  /// - Returns: The observer for the pipeline; `nil` while the lookups are off.
  func begin(_ lookups: Lookups?) -> PluginSpecification? {
    state.withLock { state in
      if state.lookups?.generation != lookups?.generation { state.standing = WeatherStanding() }
      // Without an observer no change of authorization was heard of.
      if state.lookups == nil { state.authorization = nil }
      if state.lookups?.generation != lookups?.generation
        || state.lookups?.isHere != lookups?.isHere
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
    // Satellites come with epochs, which tick as well.
    observer.takes = { !($0 is SkyEvent || $0 is OutlookEvent) }
    observer.mayBlock = false
    return observer
  }

  /// Publishes outlooks until the task is cancelled; run once.
  func run() async {
    for await query in queries {
      var outlook = await query.weatherQueries.stored(query.question)
      outlook.reason = query.obstacle ?? query.weatherQueries.silence(outlook, of: query.answer)
      publish(OutlookEvent(outlook), query.authorization)
    }
  }

  /// Takes an event; one that the observer of an earlier generation saw is passed over.
  func observe(_ event: any PipelineEvent, of generation: Int64) {
    let now = now()
    state.withLock { state in
      if let event = event as? AuthorizationEvent { state.authorization = event.authorization }
      guard let lookups = state.lookups, lookups.generation == generation else { return }
      state.standing.take(event, at: now)
      guard
        let question = state.schedule.question(after: event, at: now, isHere: lookups.isHere)
      else { return }
      query.yield(
        Query(
          question: question, weatherQueries: lookups.weatherQueries,
          obstacle: state.schedule.obstacle,
          answer: state.schedule.answer(at: now), authorization: state.authorization))
    }
  }
}
