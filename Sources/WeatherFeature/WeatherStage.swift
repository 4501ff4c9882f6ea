// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning
public import WeatherClient

/// The weather at a location.
public struct WeatherEnrichment: Enrichment, Equatable {
  /// The report.
  public var report: WeatherReport

  /// Creates an enrichment.
  public init(_ report: WeatherReport) { self.report = report }
}

/// A pipeline stage that looks up the weather for locations, one lookup at a time.
///
/// If no lookup is due, the newest location waits until a lookup is due. A board that stops after a
/// drive therefore gets the weather at its final location.
public struct WeatherStage: Stage {
  private enum Event: Sendable {
    case location(EnrichedLocation)
    /// The timer has fired: a lookup may be due for the waiting location.
    case timerFired
  }

  /// The name of the stage in reports.
  public var name: String { "weather" }
  private let client: WeatherClient
  private let policy: LookupPolicy
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> MonotonicTime
  private let changeCount: @Sendable () -> UInt64

  /// Creates a stage.
  ///
  /// - Parameters:
  ///   - client: Looks up the weather.
  ///   - policy: Decides when a lookup is due.
  ///   - clock: The clock for waiting until a lookup is due.
  ///   - changeCount: Returns the number of changes of the board's clock, network path and
  ///     certificates so far. A change ends a back-off of the client, if the client agrees.
  ///   - now: Returns the current time of the clock that sets the arrival time of locations.
  public init(
    client: WeatherClient, policy: LookupPolicy = LookupPolicy(),
    clock: any Clock<Duration> = ContinuousClock(),
    changeCount: @escaping @Sendable () -> UInt64 = { 0 },
    now: @escaping @Sendable () -> MonotonicTime
  ) {
    self.client = client
    self.policy = policy
    self.clock = clock
    self.now = now
    self.changeCount = changeCount
  }

  /// Looks up the weather at one location, even if no lookup is due.
  ///
  /// - Parameter value: The location.
  /// - Returns: The location with a ``WeatherEnrichment`` whose `receivedAt` is set.
  /// - Throws: `WeatherError` if the lookup failed.
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
  /// If a location is still waiting when the input ends, the lookup is abandoned and reported as
  /// abandoned, so that a pause requested by a provider does not delay the end of a replay.
  ///
  /// - Parameters:
  ///   - input: The locations. During a lookup, only the newest location waits.
  ///     A lookup is cancelled when the path in the location's `RequiredPath` is lost. The gate
  ///     that added the path passes the location again when the path returns.
  ///   - deliver: Called with each location whose lookup succeeded. Other locations are dropped.
  ///   - report: Called with errors and a `LookupEvent` for each step of a lookup.
  public func run(
    _ input: AsyncStream<EnrichedLocation>,
    deliver: @escaping @Sendable (EnrichedLocation) -> Void,
    report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async {
    let (events, event) = AsyncStream.makeStream(of: Event.self)
    let (handledLocations, handledLocation) = AsyncStream.makeStream(of: Void.self)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // Read the next location after the previous location is handled. In the meantime, the
        // mailbox of the stage replaces and counts older locations.
        var handledLocations = handledLocations.makeAsyncIterator()
        for await value in input {
          event.yield(.location(value))
          await handledLocations.next()
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
        case .timerFired: wait.clear()
        }
        if let value = waiting {
          let (coordinate, time) = (value.location.coordinate, now())
          if policy.mayEndPause(now: time) {
            policy.endPause(ifChangedTo: changeCount(), now: time)
          }
          if policy.startIfDue(at: coordinate, now: time) {
            (waiting, isPostponed) = (nil, false)
            guard await lookUp(value, &policy, deliver, report) else { break }
          } else {
            if policy.hasValidAnswer(at: coordinate, now: time) {
              isPostponed = false
            } else if !isPostponed {
              isPostponed = true
              report(LookupEvent.postponed)
            }
            let seconds = min(
              policy.secondsUntilDue(at: coordinate, now: time), LookupPolicy.maxPauseSeconds)
            if let length = wait.begin(seconds, at: time) {
              timer?.cancel()
              timer = Task { [clock] in
                if (try? await clock.sleep(for: length)) != nil { event.yield(.timerFired) }
              }
            }
          }
        }
        if case .location = next { handledLocation.yield() }
      }
      timer?.cancel()
      if waiting != nil, isPostponed { report(LookupEvent.abandoned) }
      group.cancelAll()
    }
  }

  private func result(
    for value: EnrichedLocation
  ) async -> Result<EnrichedLocation, WeatherError> {
    do throws(WeatherError) { return .success(try await enrich(value)) } catch {
      return .failure(error)
    }
  }

  /// Runs a lookup and reports its result.
  ///
  /// Returns `false` if the task was cancelled. A failed lookup is not repeated for the same
  /// location.
  private func lookUp(
    _ value: EnrichedLocation, _ policy: inout LookupPolicy,
    _ deliver: (EnrichedLocation) -> Void,
    _ report: @escaping @Sendable (any PipelineEvent) -> Void
  ) async -> Bool {
    let result: Result<EnrichedLocation, WeatherError>
    if let path = value.enrichment(of: RequiredPath.self) {
      let answer = await path.whileSatisfied {
        report(LookupEvent.asked)
        return await self.result(for: value)
      }
      guard let answer else {
        // Do not count this lookup, so that another is due as soon as the path returns.
        policy.cancelAttempt()
        report(LookupEvent.abandoned)
        return !Task.isCancelled
      }
      result = answer
    } else {
      report(LookupEvent.asked)
      result = await self.result(for: value)
    }
    do throws(WeatherError) {
      let enriched = try result.get()
      report(LookupEvent.answered)
      if let answer = enriched.enrichment(of: WeatherEnrichment.self)?.report {
        policy.recordAnswer(with: answer, at: value.location.coordinate, now: now())
      }
      deliver(enriched)
    } catch {
      if error == .cancelled, Task.isCancelled { return false }
      let time = now()
      switch error.cause {
      case .rateLimited(let seconds, _): policy.pause(forSeconds: seconds, now: time)
      case .notDue(let seconds, _):
        policy.pauseWithoutRequest(
          forSeconds: Double(seconds), changeCount: changeCount(), now: time)
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

/// An event for a failed lookup, with the time until the next lookup is due.
public struct LookupFailureEvent: PipelineEvent, Equatable {
  /// The error of the lookup.
  public var error: WeatherError
  /// The seconds until the next lookup is due if the board does not move.
  public var retryAfterSeconds: Double

  /// Creates an event.
  public init(_ error: WeatherError, retryAfterSeconds: Double) {
    self.error = error
    self.retryAfterSeconds = retryAfterSeconds
  }
}
