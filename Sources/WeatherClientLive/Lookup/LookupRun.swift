// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import WeatherClient

/// A single lookup, which sends requests until the provider has all necessary replies.
struct LookupRun: Sendable {
  let provider: any WeatherProvider
  let cell: WeatherCell
  let validator: WeatherValidator?
  let http: WeatherHTTP
  let record: RequestRecord
  let cachedReply: @Sendable (_ url: String) -> WeatherReply?
  let cache: @Sendable (WeatherReply, _ url: String, _ seconds: Double) -> Void

  func result() async -> WeatherLookupResult {
    do throws(WeatherError) {
      return try await sendRequests()
    } catch {
      return WeatherLookupResult(outcome: .failure(redacted(error)))
    }
  }

  private func sendRequests() async throws(WeatherError) -> WeatherLookupResult {
    var replies: [WeatherReply] = []
    var result = WeatherLookupResult(outcome: .notModified(expiresAt: nil))
    var expiresAt: UTCTime?
    while let request = try provider.request(for: cell, after: replies) {
      guard replies.count < WeatherLookup.maxRequests else {
        throw .malformed(
          field: "body", reason: "requires more than \(WeatherLookup.maxRequests) requests")
      }
      let url = provider.baseURL + request.target
      if request.reuseSeconds != nil, let cached = cachedReply(url) {
        replies.append(cached)
        continue
      }
      let reply = try await send(request, to: url)
      result.isDeprecated = result.isDeprecated || reply.status == 203
      result.serverTime = reply.serverTime ?? result.serverTime
      if reply.status == 304, request.isConditional, validator != nil {
        result.outcome = .notModified(expiresAt: reply.expiresAt)
        result.validator = reply.validator ?? validator
        return result
      }
      if !reply.isSuccess, !request.isOptional { throw provider.refusal(reply) }
      if reply.isSuccess {
        if let seconds = request.reuseSeconds {
          cache(reply, url, seconds)
        } else if let expiry = reply.expiresAt {
          expiresAt = min(expiresAt ?? expiry, expiry)
        }
        if request.isConditional { result.validator = reply.validator }
      }
      replies.append(reply)
    }
    var report = try provider.decode(replies, for: cell).removingImplausibleValues
    guard !report.isBlank else { throw .malformed(field: "reply", reason: "has no value") }
    report.expiresAt = report.expiresAt ?? expiresAt
    if !report.isSimulated {
      let attribution = type(of: provider).attribution
      report.attribution = attribution.text
      report.licence = attribution.licence
      report.licenceURL = attribution.url
    }
    result.outcome = .report(report)
    return result
  }

  /// Sends a request and returns the reply.
  ///
  /// If an optional request fails without a reply, the returned reply has status 0.
  private func send(
    _ request: WeatherRequest, to url: String
  ) async throws(WeatherError) -> WeatherReply {
    do throws(WeatherError) {
      return try await http.get(url, headers: headers(request), record: record)
    } catch {
      guard request.isOptional, error != .cancelled else { throw error }
      return WeatherReply(status: 0, body: [])
    }
  }

  private func headers(_ request: WeatherRequest) -> [(String, String)] {
    var headers = [
      ("User-Agent", WeatherHTTP.userAgent(contact: provider.configuration.contact)),
      ("Accept", "application/geo+json, application/json"),
    ]
    if request.isConditional {
      if let text = validator?.lastModified { headers.append(("If-Modified-Since", text)) }
      if let text = validator?.entityTag { headers.append(("If-None-Match", text)) }
    }
    return headers
  }

  /// Replaces the API key in error messages of the provider by "(key)".
  private func redacted(_ error: WeatherError) -> WeatherError {
    guard let key = provider.configuration.key, !key.isEmpty else { return error }
    func clean(_ text: String) -> String {
      [key, WeatherRequest.escaped(key), WeatherReply.withoutDecimals(key)]
        .reduce(text) { $0.replacing($1, with: "(key)") }
    }
    return switch error {
    case .network(let cause): .network(clean(cause))
    case .redirected(let host): .redirected(host: clean(host))
    case .untrusted(let cause, let advice): .untrusted(clean(cause), advice: advice)
    case .badStatus(let code, let reason): .badStatus(code: code, reason: reason.map(clean))
    case .rateLimited(let seconds, let reason):
      .rateLimited(retryAfterSeconds: seconds, reason: reason.map(clean))
    case .refused(let reason): .refused(reason: clean(reason))
    case .malformed(let field, let reason):
      .malformed(field: clean(field), reason: clean(reason))
    case .unsupported(let request): .unsupported(clean(request))
    case .misconfigured(let reason): .misconfigured(clean(reason))
    case .of(let provider, let host, let error):
      .of(provider: provider, host: host, redacted(error))
    case .timedOut, .tooLarge, .notDue, .noUsableProvider, .unknownPlace, .cancelled: error
    }
  }
}

/// The number of requests and the network outcome of a lookup, including a cancelled one.
final class RequestRecord: Sendable {
  private struct State {
    var count = 0
    var hasHead = false
    var outcome: PathVerifier.Outcome?
  }

  private let state = Mutex(State())
  private let limit: Int

  /// Creates a record.
  ///
  /// - Parameter limit: The maximum number of requests.
  init(limit: Int = .max) { self.limit = limit }

  /// The number of requests sent.
  var count: Int { state.withLock { $0.count } }

  /// The network outcome of the last request, or `nil` if the request proves nothing about the
  /// network.
  var outcome: PathVerifier.Outcome? { state.withLock { $0.outcome } }

  /// Whether the head of the reply to the last request has arrived.
  var hasHead: Bool { state.withLock { $0.hasHead } }

  /// Counts a request before it is sent.
  ///
  /// - Throws: `notDue` if the limit is reached.
  func countRequest() throws(WeatherError) {
    let isAllowed = state.withLock { state in
      guard state.count < limit else { return false }
      state.count += 1
      state.hasHead = false
      return true
    }
    guard isAllowed else {
      throw .notDue(afterSeconds: 3600, reason: "daily request limit reached during the lookup")
    }
  }

  func recordHead() { state.withLock { $0.hasHead = true } }

  func setOutcome(_ outcome: PathVerifier.Outcome?) { state.withLock { $0.outcome = outcome } }
}
