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
  public init(_ report: WeatherReport) { self.report = report }
}

/// Looks up the weather for locations, one at a time; the newest wins.
///
/// A location that comes too soon after a lookup waits until the next is due, unless a newer one
/// takes its place: a board that stands still after a drive gets the weather of where it stands.
public struct WeatherStage: Stage {
  private enum Event: Sendable {
    case location(EnrichedLocation)
    /// A lookup may be due for the location that waits.
    case timeOver
  }

  /// The name it is reported under.
  public var name: String { "weather" }
  private let client: WeatherClient
  private let policy: LookupPolicy
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> MonotonicTime

  /// Makes a stage.
  ///
  /// - Parameters:
  ///   - client: Who is asked.
  ///   - policy: When.
  ///   - clock: What wakes it when a lookup is due.
  ///   - now: The present reading of the clock that locations are received by.
  public init(
    client: WeatherClient, policy: LookupPolicy = LookupPolicy(),
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.client = client
    self.policy = policy
    self.clock = clock
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
  /// A location that waits for its lookup does not outlast the input: the end of a log is not put
  /// off by a provider that wants to be left alone. That it was not looked up is reported.
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
    let (events, event) = AsyncStream.makeStream(of: Event.self)
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // One at a time, so that the others replace each other in the mailbox, where they count.
        var turns = turns.makeAsyncIterator()
        for await value in input {
          event.yield(.location(value))
          await turns.next()
        }
        event.finish()
      }
      var policy = policy
      var waiting: EnrichedLocation?
      var isPostponed = false
      var timer: Task<Void, Never>?
      var wait = CoalescingTimer()
      for await next in events {
        switch next {
        case .location(let value): waiting = value
        case .timeOver: wait.clear()
        }
        if let value = waiting {
          let (coordinate, time) = (value.location.coordinate, now())
          if policy.takeDue(at: coordinate, now: time) {
            (waiting, isPostponed) = (nil, false)
            guard await lookUp(value, &policy, deliver, report) else { break }
          } else {
            if policy.isAnswered(at: coordinate, now: time) {
              isPostponed = false
            } else if !isPostponed {
              isPostponed = true
              report(LookupEvent.postponed)
            }
            let seconds = min(
              policy.secondsUntilDue(at: coordinate, now: time), LookupPolicy.longestRefusalSeconds)
            if let length = wait.begin(seconds, at: time) {
              timer?.cancel()
              timer = Task { [clock] in
                if (try? await clock.sleep(for: length)) != nil { event.yield(.timeOver) }
              }
            }
          }
        }
        if case .location = next { turn.yield() }
      }
      timer?.cancel()
      if waiting != nil, isPostponed { report(LookupEvent.abandoned) }
      group.cancelAll()
    }
  }

  /// Looks up and tells what became of it; false where it is to end.
  ///
  /// A location without an answer does not wait for the next lookup: a newer one does.
  private func lookUp(
    _ value: EnrichedLocation, _ policy: inout LookupPolicy,
    _ deliver: (EnrichedLocation) -> Void, _ report: (any PipelineEvent) -> Void
  ) async -> Bool {
    report(LookupEvent.asked)
    do {
      let found = try await enrich(value)
      report(LookupEvent.answered)
      if let answer = found.found(WeatherEnrichment.self)?.report {
        policy.answered(with: answer, at: value.location.coordinate, now: now())
      }
      deliver(found)
    } catch {
      if error == .cancelled, Task.isCancelled { return false }
      let time = now()
      switch error.cause {
      case .rateLimited(let seconds, _): policy.refused(forSeconds: seconds, now: time)
      case .notDue(let seconds, _): policy.refused(forSeconds: Double(seconds), now: time)
      default: break
      }
      report(LookupEvent.failed)
      report(
        LookupFailureEvent(
          error,
          retryAfterSeconds: policy.secondsUntilDue(at: value.location.coordinate, now: time)))
      report(ErrorEvent(source: name, message: "\(error)"))
    }
    return true
  }
}

/// Tells whoever reports how the weather stands why a lookup had no answer, and when another is due.
///
/// It is made with the first location that comes then: the one that was looked up in vain is gone.
public struct LookupFailureEvent: PipelineEvent, Equatable {
  /// Why there was none.
  public var error: WeatherError
  /// In how many seconds another is due, with the next location after, for a board that stays where
  /// it is.
  public var retryAfterSeconds: Double

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - error: Why there was none.
  ///   - retryAfterSeconds: In how many seconds another is due.
  public init(_ error: WeatherError, retryAfterSeconds: Double) {
    self.error = error
    self.retryAfterSeconds = retryAfterSeconds
  }
}
