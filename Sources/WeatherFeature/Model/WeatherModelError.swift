// SPDX-License-Identifier: Apache-2.0

public import LocationServices
public import WeatherClient

/// What failed in a weather feature; none is the end of it.
public enum WeatherModelError: Error, Equatable, Hashable, Sendable {
  /// No location comes.
  case location(LocationError)
  /// The place of a location could not be looked up.
  case place(WeatherError)
  /// The weather of a place could not be looked up.
  case weather(WeatherError)
}

extension WeatherModelError: CustomStringConvertible {
  /// The error in a sentence.
  public var description: String {
    switch self {
    case .location(let error): "location: \(error)"
    case .place(let error): "place: \(error)"
    case .weather(let error): "weather: \(error)"
    }
  }
}
