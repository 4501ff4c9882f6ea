// SPDX-License-Identifier: Apache-2.0

/// What a person should know of a provider, beside its answers.
public enum WeatherNotice: Equatable, Hashable, Sendable {
  /// It says of itself that it is about to end, or has only begun (203).
  case deprecated(provider: String)
}

extension WeatherNotice: CustomStringConvertible {
  /// The notice in a sentence.
  public var description: String {
    switch self {
    case .deprecated(let provider):
      "\(provider) says that what it answers is deprecated or in trial (203)"
    }
  }
}
