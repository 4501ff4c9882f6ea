// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// The request limits of a provider.
struct ProviderRules: Equatable, Hashable, Sendable {
  /// The provider's name, such as `openmeteo`.
  var name: String
  /// The maximum number of requests in any 24 hours; 0 disables the provider.
  var dailyBudget: Int
  /// The fingerprint of the configuration.
  ///
  /// After a permanent refusal, the provider is not contacted until the fingerprint changes.
  var configuration: String
  /// A hash that identifies a self-hosted server; empty for the public service.
  ///
  /// Each server has its own request counts and pauses.
  var site: String
  /// The maximum number of requests per lookup.
  var requestsPerLookup: Int

  init(
    name: String, dailyBudget: Int = 500, configuration: String = "", site: String = "",
    requestsPerLookup: Int = 1
  ) {
    self.name = name
    self.dailyBudget = dailyBudget
    self.configuration = configuration
    self.site = site
    self.requestsPerLookup = requestsPerLookup
  }

  /// The key of the server's ``ProviderUsage`` in the store.
  var ledgerName: String { site.isEmpty ? name : "\(name) \(site)" }
}

/// The result of a lookup at a provider.
enum ProviderOutcome: Equatable, Sendable {
  /// The provider sent a report, or confirmed that the stored report is current (304).
  case answered
  /// The provider does not cover this location. No back-off follows.
  case notServed
  /// The provider failed. `retryAfterSeconds` is the delay in the reply, if any.
  case failed(retryAfterSeconds: Double?)
  /// No connection was made, possibly because the board has no network.
  case unreachable
  /// Another server than the provider's may have answered, such as a captive portal, or a wrong clock
  /// or missing certificates made the provider's certificate invalid.
  case intercepted
  /// No complete reply of the provider arrived, possibly because of the network beyond the board.
  case unanswered
  /// The provider refused the configuration permanently.
  case refused
  /// The provider refused the configuration, but may accept the same configuration later, for
  /// example when a new key becomes active.
  case denied
  /// The lookup was cancelled, possibly after a request was sent.
  case cancelled
}

extension ProviderOutcome {
  /// Whether a change of the clock, the network path or the certificates may remove the cause.
  var dependsOnConditions: Bool {
    switch self {
    case .unreachable, .intercepted, .unanswered: true
    case .answered, .notServed, .failed, .refused, .denied, .cancelled: false
    }
  }

  /// Creates the outcome that determines when the provider may be contacted next.
  init(
    _ outcome: Result<WeatherReport, WeatherError>, of provider: any WeatherProvider.Type
  ) {
    self =
      switch outcome {
      case .success: .answered
      case .failure(.unsupported): .notServed
      case .failure(.refused): provider.isRefusalPermanent ? .refused : .denied
      case .failure(.badStatus(401, _)), .failure(.badStatus(403, _)): .denied
      // `misconfigured` is thrown for an unusable proxy setting, before a request is sent.
      case .failure(.network), .failure(.misconfigured): .unreachable
      case .failure(.untrusted), .failure(.redirected): .intercepted
      // A captive portal may also send a page instead of JSON.
      case .failure(.timedOut), .failure(.malformed(field: "body", reason: _)): .unanswered
      case .failure(.cancelled): .cancelled
      case .failure(.rateLimited(let seconds, _)): .failed(retryAfterSeconds: seconds)
      case .failure: .failed(retryAfterSeconds: nil)
      }
  }
}
