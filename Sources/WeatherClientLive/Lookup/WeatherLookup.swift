// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
internal import Synchronization
internal import SystemSupport
internal import WeatherClient

/// Asks providers: the one way by which a coordinate leaves the board.
///
/// Here it is snapped to the grid, and what a provider makes its questions of is the cell alone.
/// A lookup has one deadline over all its questions, heads and bodies, and a bound on every answer.
/// A provider that has refused a configuration is not asked again with it for a day, or for good
/// where it wants that.
public final class WeatherLookup: Sendable {
  /// The longest time of a lookup, from the first packet out to the last byte in.
  public let deadline: Duration
  let http: WeatherHTTP
  private let clock: any Clock<Duration>
  private let uptime: @Sendable () -> MonotonicTime
  private let memory = Mutex(LookupMemory())

  /// More questions than any protocol has for one lookup.
  static let maxRequests = 8

  /// Makes a lookup that goes by the proxies of the process's environment.
  ///
  /// - Parameters:
  ///   - deadline: How long a lookup may take.
  ///   - certificates: A PEM file with certificates to trust besides the system's, for a server of
  ///     one's own; `nil` for none.
  public convenience init(deadline: Duration = .seconds(15), certificates: String? = nil) {
    var http = WeatherHTTP()
    http.certificates = certificates
    self.init(deadline: deadline, http: http)
  }

  init(
    deadline: Duration, http: WeatherHTTP, clock: any Clock<Duration> = ContinuousClock(),
    uptime: @escaping @Sendable () -> MonotonicTime = MonotonicTime.now
  ) {
    self.deadline = deadline
    self.http = http
    self.clock = clock
    self.uptime = uptime
  }

  /// Asks a provider for the weather.
  ///
  /// - Parameters:
  ///   - provider: Who is asked.
  ///   - coordinate: Where; snapped to the coarser of the provider's and the configured grid.
  ///   - validator: What the provider gave with the report that is there already, if one is.
  ///   - allowance: How many requests may go out, redirections among them.
  /// - Returns: What became of it, and how many requests it took.
  public func ask(
    _ provider: any WeatherProvider, at coordinate: Coordinate,
    validator: WeatherValidator? = nil, allowance: Int = .max
  ) async -> WeatherLookupResult {
    let name = type(of: provider).name
    let began = uptime()
    if let reason = memory.withLock({
      $0.refusal(of: provider.configuration, by: name, now: began)
    }) {
      return WeatherLookupResult(outcome: .failure(.refused(reason: reason)), requestCount: 0)
    }
    let cell = WeatherCell(
      coordinate,
      decimals: min(provider.configuration.gridDecimals, type(of: provider).maxGridDecimals))
    let tell = RequestObservation.watcher?.begin()
    let record = RequestRecord(limit: allowance)
    let run = LookupRun(
      provider: provider, cell: cell, validator: validator, http: http, record: record,
      recall: { [self] url in memory.withLock { $0.recall(url, now: uptime()) } },
      remember: { [self] reply, url, seconds in
        memory.withLock { $0.remember(reply, for: url, seconds: seconds, now: uptime()) }
      })
    var result = await withinDeadline { await run.result() }
    result.requestCount = record.count
    switch result.outcome {
    case .failure(.cancelled): break
    case .failure(.timedOut):
      // Cut off in the middle of an answer: somebody answered.
      if !record.hasHead { tell?(.upstreamDead(cause: "no answer in \(deadline)")) }
    default: if let outcome = record.outcome { tell?(outcome) }
    }
    if case .failure(let error) = result.outcome {
      if case .refused(let reason) = error {
        let until =
          type(of: provider).refusesForGood
          ? nil : uptime().advanced(byNanoseconds: LookupMemory.refusalNanoseconds)
        memory.withLock {
          $0.refused(provider.configuration, by: name, reason: reason, until: until)
        }
      }
      // What is remembered may be what led here.
      if error.isAboutTheQuestion { memory.withLock { $0.forget(under: provider.baseURL) } }
    }
    return result
  }

  /// The client's own timeout covers the head only: a server that drips its body would hold it for
  /// ever.
  private func withinDeadline(
    _ body: @escaping @Sendable () async -> WeatherLookupResult
  ) async -> WeatherLookupResult {
    let result = await withTaskGroup(of: WeatherLookupResult?.self) { group in
      group.addTask { await body() }
      group.addTask { [clock, deadline] in
        try? await clock.sleep(for: deadline)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    if Task.isCancelled { return WeatherLookupResult(outcome: .failure(.cancelled)) }
    return result
      ?? WeatherLookupResult(
        outcome: .failure(.timedOut(afterSeconds: deadline / .seconds(1))))
  }
}

extension WeatherError {
  /// Whether another question might have had an answer.
  fileprivate var isAboutTheQuestion: Bool {
    switch self {
    case .badStatus(let code, _): code < 500
    case .malformed, .unsupported: true
    default: false
    }
  }
}
