// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// The state of ``WeatherModel`` for display.
public struct WeatherState: Equatable, Sendable {
  /// The state of the network.
  public enum Connection: String, Hashable, Sendable {
    /// The network path is not known yet; no lookup starts.
    case unknown
    /// The network path is satisfied.
    case connected
    /// The network path is not satisfied.
    case notConnected
  }

  /// The state of the network.
  public internal(set) var path = Connection.unknown
  /// The place of the board, or `nil` before the first search, if no place was found, or if the
  /// program is not authorized.
  public internal(set) var currentPlace: Place?
  /// Fresh weather at ``currentPlace``, or `nil` if there is none or the network is not connected.
  public internal(set) var weather: WeatherReport?
  /// The alert to show while location access is denied or restricted.
  public internal(set) var authorizationAlert: AuthorizationAlert?
  /// The last error, or `nil` if a later lookup or location succeeded.
  public internal(set) var lastError: WeatherModelError?
  /// The last weather that was received, with its place; `nil` before the first report.
  ///
  /// The weather may have expired, and the board may have left the place. The value is kept during
  /// network losses and after a revocation of authorization. To hide the former location of the
  /// board after a revocation, do not show this value while ``authorizationAlert`` is set.
  public internal(set) var lastKnownWeather: LastKnownWeather?

  /// Creates a state without values.
  public init() {}

  /// Whether the network path is known to be satisfied.
  public var isConnected: Bool { path == .connected }

  /// The daily forecast of ``weather``, today first; empty without weather.
  public var weatherResults: [DayWeather] { weather?.days ?? [] }

  /// The name of the place, or `Weather` without a place.
  public var title: String { currentPlace?.title ?? "Weather" }

  /// The message to show while the network is not connected, otherwise `nil`.
  public var connectionMessage: String? {
    path == .notConnected ? "Not connected to internet" : nil
  }
}

/// A report with its place and the time at which it arrived.
public struct LastKnownWeather: Equatable, Sendable {
  /// The place of the report.
  public var place: Place
  /// The report.
  public var report: WeatherReport
  /// The time at which the report arrived.
  public var receivedAt: MonotonicTime

  /// Creates a value.
  public init(place: Place, report: WeatherReport, receivedAt: MonotonicTime) {
    self.place = place
    self.report = report
    self.receivedAt = receivedAt
  }

  /// Returns the seconds since the report arrived, 0 or more.
  ///
  /// The age of the values may be greater; see `issuedAt` of ``report``.
  public func ageSeconds(at now: MonotonicTime) -> Double { max(now.seconds(since: receivedAt), 0) }
}

/// The alert for a program without location access.
public enum AuthorizationAlert: String, Hashable, Sendable {
  /// Access was denied; an operator can change this decision.
  case denied
  /// Access is locked by the administrator.
  case restricted

  /// The text of the alert.
  public var text: String {
    switch self {
    case .denied:
      "Please give us location access. An operator can allow it with fixcast auth allow."
    case .restricted: "Location access is locked by this board's administrator."
    }
  }
}

/// An error of ``WeatherModel``.
///
/// The model continues to work after every error.
public enum WeatherModelError: Error, Equatable, Hashable, Sendable {
  /// The location manager reported an error.
  case location(LocationError)
  /// The search for the place failed.
  case place(WeatherError)
  /// The weather lookup failed.
  case weather(WeatherError)
}

extension WeatherModelError: CustomStringConvertible {
  /// A message for users.
  public var description: String {
    switch self {
    case .location(let error): "location: \(error)"
    case .place(let error): "place: \(error)"
    case .weather(let error): "weather: \(error)"
    }
  }
}
