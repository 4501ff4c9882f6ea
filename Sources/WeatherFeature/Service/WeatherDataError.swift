// SPDX-License-Identifier: Apache-2.0

/// Why a ``RootViewModel`` has no weather to show, with what to tell a person.
public enum WeatherDataError: Error, Equatable, Hashable, Sendable, CaseIterable {
  /// The program may not know where the board is.
  case notAuthorizedToRequestLocation
  /// The board's location could not be found.
  case failedToRequestLocation
  /// No weather came.
  case noWeatherDataAvailable

  /// What the alert is titled.
  public var title: String {
    switch self {
    case .notAuthorizedToRequestLocation, .failedToRequestLocation:
      "Unable to Fetch Weather Data for Your Location"
    case .noWeatherDataAvailable: "Unable to Fetch Weather Data"
    }
  }

  /// What the alert says.
  public var message: String {
    switch self {
    case .notAuthorizedToRequestLocation:
      "This program is not authorized to know your location. Whoever runs the board can grant it: "
        + "fixcast auth pending shows how."
    case .failedToRequestLocation:
      "Your location could not be found, due to a technical issue."
    case .noWeatherDataAvailable:
      "No weather data is available. Is the board connected to the internet?"
    }
  }
}
