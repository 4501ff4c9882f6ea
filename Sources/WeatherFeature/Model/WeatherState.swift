// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
public import Positioning
public import WeatherClient

/// The state that a weather feature shows.
public struct WeatherState: Equatable, Sendable {
  /// The state of the network.
  public enum Connection: String, Hashable, Sendable {
    /// Nothing yet: nothing is looked up.
    case unknown
    /// There is a way out.
    case connected
    /// There is none.
    case notConnected
  }

  /// The state of the network.
  public internal(set) var path = Connection.unknown
  /// The place that the board is at; `nil` before it is known, where nobody knows one, and once
  /// the program may no longer know.
  public internal(set) var currentPlace: Place?
  /// Fresh weather at ``currentPlace``; `nil` before there is any, and while not connected.
  public internal(set) var weather: WeatherReport?
  /// Why the board's place may not be known, where it may not.
  public internal(set) var authorizationAlert: AuthorizationAlert?
  /// The last failure that no success has followed.
  public internal(set) var lastError: WeatherModelError?
  /// The newest weather that was ever fresh, wherever that was.
  ///
  /// It outlasts losses of the network and revocations of the grant alike, with its place and its
  /// age: it says where the board was while the program might know, never where it is. It is kept
  /// in memory and goes with the model. Whoever must not show a former place after a revocation
  /// leaves it out while ``authorizationAlert`` is there.
  public internal(set) var lastKnownWeather: LastKnownWeather?

  /// Makes a state in which nothing is known.
  public init() {}

  /// Whether there is a way out, as far as is known.
  public var isConnected: Bool { path == .connected }

  /// The days of ``weather``, today first; empty where there is none.
  public var weatherResults: [DayWeather] { weather?.days ?? [] }

  /// The title: the place, or `Weather` where there is none.
  public var title: String { currentPlace?.title ?? "Weather" }

  /// The message about a lost network; `nil` unless it is known to be lost.
  public var connectionMessage: String? {
    path == .notConnected ? "Not connected to internet" : nil
  }
}

/// Weather that was fresh once, with where and since when.
public struct LastKnownWeather: Equatable, Sendable {
  /// Where it is for.
  public var place: Place
  /// The weather.
  public var report: WeatherReport
  /// When it arrived.
  public var receivedAt: MonotonicTime

  /// Makes a memory of weather.
  ///
  /// - Parameters:
  ///   - place: Where it is for.
  ///   - report: The weather.
  ///   - receivedAt: When it arrived.
  public init(place: Place, report: WeatherReport, receivedAt: MonotonicTime) {
    self.place = place
    self.report = report
    self.receivedAt = receivedAt
  }

  /// Seconds since it arrived, 0 or more.
  ///
  /// What is in it may be older than that: ``report`` says when its provider computed it.
  ///
  /// - Parameter now: The present reading of the clock that it was received by.
  /// - Returns: The age.
  public func ageSeconds(at now: MonotonicTime) -> Double { max(now.seconds(since: receivedAt), 0) }
}

/// The alert for a feature that may not know the board's location.
public enum AuthorizationAlert: String, Hashable, Sendable {
  /// Refused by a decision that can be changed.
  case denied
  /// Locked by the administrator.
  case restricted

  /// The alert in a sentence.
  public var text: String {
    switch self {
    case .denied: "Please give us location access."
    case .restricted: "Location access is locked by this board's administrator."
    }
  }
}

/// An error of a weather feature, which goes on after each.
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
