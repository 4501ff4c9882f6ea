// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

extension WeatherError {
  /// The command or the action that remedies the error; `nil` if only time helps.
  var advice: String? {
    switch cause {
    case .untrusted(_, let advice): advice
    case .redirected: "log in with a browser on this network"
    case .network, .timedOut: "fixcast path"
    case .badStatus(401, _), .badStatus(403, _), .refused, .noUsableProvider, .misconfigured:
      "man fixcast.toml   (correct [weather], then: sudo systemctl reload fixcast)"
    case .badStatus, .rateLimited, .notDue, .tooLarge, .malformed, .unsupported, .unknownPlace,
      .cancelled, .of:
      nil
    }
  }
}
