// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

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
