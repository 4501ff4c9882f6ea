// SPDX-License-Identifier: Apache-2.0

/// A value that the daemon returns at once, with the path of its `GET` request.
public enum DaemonValue: String, Hashable, Sendable, CaseIterable {
  /// The status page.
  case page = "/"
  /// The last known position: a `TPV` object.
  case lastLocation = "/v1/location/last"
  /// The satellites: a `SKY` object.
  case sky = "/v1/sky"
  /// The weather: a `WEATHER` object.
  case weather = "/v1/weather"
  /// The forecast of the next 48 hours: a `FORECAST` object.
  case forecast = "/v1/forecast"
  /// The positions of the last hour: a `TRACK` object.
  case track = "/v1/track"
  /// The nearest places: a `PLACES` object.
  case places = "/v1/places"
  /// The access of the client: an `AUTH` object.
  case authorization = "/v1/authorization"
}
