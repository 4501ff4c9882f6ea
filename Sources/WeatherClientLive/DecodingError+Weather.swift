// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

extension DecodingError {
  /// Which field of an answer is wrong, and how.
  var asWeatherError: WeatherError {
    let (context, reason): (Context, String) =
      switch self {
      case .typeMismatch(let type, let context): (context, "is not \(type)")
      case .valueNotFound(_, let context): (context, "is null")
      case .keyNotFound(let key, let context): (context, "has no \(key.stringValue)")
      case .dataCorrupted(let context): (context, "is not JSON")
      @unknown default: (Context(codingPath: [], debugDescription: ""), "cannot be read")
      }
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return .malformed(
      field: path.isEmpty ? "body" : path.joined(separator: "."), reason: reason)
  }
}
