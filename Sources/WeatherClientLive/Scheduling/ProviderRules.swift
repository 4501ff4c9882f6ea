// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// The request limits of a provider.
struct ProviderRules: Equatable, Hashable, Sendable {
  /// The provider's name: `openmeteo`.
  var name: String
  /// The greatest number of requests in any 24 hours; 0 disables the provider.
  var dailyBudget: Int
  /// The configuration's fingerprint, without its secrets.
  ///
  /// A provider that refuses a configuration (403) is not asked again until this changes.
  var configuration: String
  /// Which of the servers that speak the provider's protocol; empty for the one.
  ///
  /// Each has a budget of its own: what one server asked for is not the other's word.
  var site: String
  /// The greatest number of requests of a lookup.
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

  /// The key of its ledger.
  var ledgerName: String { site.isEmpty ? name : "\(name) \(site)" }
}

/// The result of a lookup at a provider.
enum ProviderOutcome: Equatable, Sendable {
  /// A report came, or the word that the one held still stands.
  case answered
  /// It does not serve this part of the world; no fault of anybody's.
  case notServed
  /// It failed and may be asked again, after that many seconds where it said so.
  case failed(retryAfterSeconds: Double?)
  /// Nobody was reached: the request may never have left the board.
  case unreachable
  /// It will not answer this configuration until that changes.
  case refused
  /// It did not answer this configuration, and may later: a key that is new or has run out.
  case denied
  /// Whoever asked has gone: nothing is known but that a request went out.
  case cancelled
}

extension ProviderOutcome {
  /// What a lookup's end means for when to ask next.
  init(
    _ outcome: Result<WeatherReport, WeatherError>, of provider: any WeatherProvider.Type
  ) {
    self =
      switch outcome {
      case .success: .answered
      case .failure(.unsupported): .notServed
      case .failure(.refused): provider.refusesForGood ? .refused : .denied
      case .failure(.badStatus(401, _)), .failure(.badStatus(403, _)): .denied
      // No request went out: a proxy of the environment that cannot be used.
      case .failure(.network), .failure(.misconfigured): .unreachable
      case .failure(.cancelled): .cancelled
      case .failure(.rateLimited(let seconds, _)): .failed(retryAfterSeconds: seconds)
      case .failure: .failed(retryAfterSeconds: nil)
      }
  }
}
