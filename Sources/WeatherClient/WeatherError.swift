// SPDX-License-Identifier: Apache-2.0

/// An error of a weather or place lookup.
public indirect enum WeatherError: Error, Equatable, Hashable, Sendable {
  /// The connection failed or was closed. The associated text contains the cause.
  case network(String)
  /// The response was not complete within the deadline.
  case timedOut(afterSeconds: Double)
  /// The decompressed response exceeds the limit.
  case tooLarge(limitBytes: Int)
  /// The response redirects to another host, to which no request is sent. The cause may be a
  /// captive portal, or a provider that has moved.
  case redirected(host: String)
  /// The TLS certificate of the server is not trusted. `advice` is what to do or to type, if known.
  ///
  /// The cause may be a captive portal, a wrong clock or missing certificates on the board.
  case untrusted(String, advice: String? = nil)
  /// The response has an unsuccessful status. `reason` is the message in the response, if any.
  case badStatus(code: Int, reason: String?)
  /// The provider requests a pause. `retryAfterSeconds` is the duration, if the response has one.
  case rateLimited(retryAfterSeconds: Double?, reason: String?)
  /// No request is sent for this number of seconds, because of a back-off or a daily limit.
  case notDue(afterSeconds: Int, reason: String)
  /// No provider can be used with this configuration. `reason` contains what to change; a later
  /// lookup with the same configuration also fails.
  case noUsableProvider(reason: String)
  /// The provider refuses this configuration. A retry fails until the configuration changes.
  case refused(reason: String)
  /// A field of the response does not follow the protocol.
  case malformed(field: String, reason: String)
  /// The provider does not support this kind of request or this location.
  case unsupported(String)
  /// The gazetteer of the client has no place with this identifier. No request is sent.
  case unknownPlace(id: Place.ID)
  /// A required setting is missing or invalid.
  case misconfigured(String)
  /// The task was cancelled.
  case cancelled
  /// The error of one provider, with the provider's name and host.
  case of(provider: String, host: String, WeatherError)

  /// The error without the provider's name and host.
  public var cause: WeatherError {
    if case .of(_, _, let error) = self { error.cause } else { self }
  }

  /// Whether a later lookup with the same configuration may succeed.
  public var isTransient: Bool {
    switch cause {
    case .network, .timedOut, .redirected, .untrusted, .rateLimited, .notDue, .cancelled: true
    case .badStatus(let code, _): code >= 500
    case .tooLarge, .noUsableProvider, .refused, .malformed, .unsupported, .unknownPlace,
      .misconfigured, .of:
      false
    }
  }

  /// The number of seconds until the next lookup is allowed, or `nil` if the error states none.
  public var retryAfterSeconds: Double? {
    switch cause {
    case .rateLimited(let seconds, _): seconds
    case .notDue(let seconds, _): Double(seconds)
    default: nil
    }
  }
}

extension WeatherError: CustomStringConvertible {
  /// A message for users.
  public var description: String {
    switch self {
    case .network(let cause): "weather provider not reached: \(cause)"
    case .timedOut(let seconds): "weather provider timed out after \(seconds) s"
    case .tooLarge(let limit): "weather provider's response exceeds \(limit) bytes"
    case .redirected(let host): "weather provider redirected to another host: \(host)"
    case .untrusted(let cause, let advice):
      "weather provider not trusted: \(cause)" + (advice.map { "; \($0)" } ?? "")
    case .badStatus(let code, let reason):
      "weather provider answered \(code)" + (reason.map { ": \($0)" } ?? "")
    case .rateLimited(let seconds, let reason):
      "weather provider asks to wait"
        + (seconds.map { " \(Int(exactly: $0.rounded(.up)) ?? 86_400) s" } ?? "")
        + (reason.map { ": \($0)" } ?? "")
    case .notDue(let seconds, let reason):
      "no weather lookup for another \(seconds) s: \(reason)"
    case .noUsableProvider(let reason): "no usable weather provider: \(reason)"
    case .refused(let reason): "weather provider refused the configuration: \(reason)"
    case .malformed(let field, let reason):
      "invalid response from weather provider: \(field): \(reason)"
    case .unsupported(let request): "not supported by the weather provider: \(request)"
    case .unknownPlace(let id):
      "no place with id \(id) in the gazetteer; search for the place again"
    case .misconfigured(let reason): "weather provider misconfigured: \(reason)"
    case .cancelled: "weather lookup cancelled"
    case .of(let provider, let host, let error): "\(provider) (\(host)): \(error)"
    }
  }
}
