// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import Positioning
internal import Synchronization
internal import SystemSupport
internal import WeatherClient

/// Sends weather requests to providers.
///
/// All weather requests of the program pass through this class. The class rounds the coordinate to
/// the grid, so that providers receive only the cell. One deadline covers all requests of a lookup,
/// and the size of each reply is limited. A configuration that a provider refused is not sent again
/// for a day, or never again if the provider type sets `isRefusalPermanent`.
public final class WeatherLookup: Sendable {
  /// The maximum duration of a lookup, including all requests and bodies.
  public let deadline: Duration
  let http: WeatherHTTP
  private let clock: any Clock<Duration>
  private let uptime: @Sendable () -> MonotonicTime
  private let memory = Mutex(LookupMemory())

  /// The maximum number of requests per lookup; the protocols need at most five.
  static let maxRequests = 8

  /// Creates a lookup that uses the proxies of the process environment.
  ///
  /// - Parameters:
  ///   - deadline: The maximum duration of a lookup.
  ///   - certificates: The path of a PEM file with certificates that are trusted in addition to the
  ///     system's, or `nil`.
  ///   - clockWarning: Returns the error of the system clock, which is added to TLS failures; `nil`
  ///     if the clock is not known to be wrong.
  public convenience init(
    deadline: Duration = .seconds(15), certificates: String? = nil,
    clockWarning: @escaping @Sendable () -> String? = { nil }
  ) {
    var http = WeatherHTTP()
    http.certificates = certificates
    http.clockWarning = clockWarning
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

  /// Requests the weather from a provider.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - coordinate: The coordinate, which is rounded to the provider's grid or the configured
  ///     grid, whichever is coarser.
  ///   - validator: The validator of the stored report, or `nil`.
  ///   - allowance: The maximum number of requests, including redirects.
  /// - Returns: The report or error, and the number of requests sent.
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
    let reportOutcome = RequestObservation.watcher?.begin()
    let record = RequestRecord(limit: allowance)
    let run = LookupRun(
      provider: provider, cell: cell, validator: validator, http: http, record: record,
      cachedReply: { [self] url in
        memory.withLock { $0.cachedReply(for: url, now: uptime()) }
      },
      cache: { [self] reply, url, seconds in
        memory.withLock { $0.cache(reply, for: url, seconds: seconds, now: uptime()) }
      })
    var result = await withinDeadline { await run.result() }
    result.requestCount = record.count
    switch result.outcome {
    case .failure(.cancelled): break
    case .failure(.timedOut):
      // Report nothing if the head of a response arrived: the server is reachable.
      if !record.hasHead { reportOutcome?(.upstreamDead(cause: "no answer in \(deadline)")) }
    default: if let outcome = record.outcome { reportOutcome?(outcome) }
    }
    if case .failure(let error) = result.outcome {
      if case .refused(let reason) = error {
        let until =
          type(of: provider).isRefusalPermanent
          ? nil : uptime().advanced(byNanoseconds: LookupMemory.refusalNanoseconds)
        memory.withLock {
          $0.storeRefusal(of: provider.configuration, by: name, reason: reason, until: until)
        }
      }
      // Discard the server's cached replies, one of which may have caused the error.
      if error.dependsOnRequest { memory.withLock { $0.removeReplies(under: provider.baseURL) } }
    }
    return result
  }

  /// Returns the result, or `timedOut` if the deadline passes first.
  ///
  /// The timeout of the HTTP client does not limit the total time of a slow body.
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
  /// Whether a different request to the same server could have succeeded.
  fileprivate var dependsOnRequest: Bool {
    switch self {
    case .badStatus(let code, _): code < 500
    case .malformed, .unsupported: true
    default: false
    }
  }
}
