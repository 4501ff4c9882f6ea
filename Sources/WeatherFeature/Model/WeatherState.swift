// SPDX-License-Identifier: Apache-2.0

public import WeatherClient

/// What a weather feature shows.
public struct WeatherState: Equatable, Sendable {
  /// What is known of the network.
  public enum Connection: String, Hashable, Sendable {
    /// Nothing yet: nothing is looked up.
    case unknown
    /// There is a way out.
    case connected
    /// There is none.
    case notConnected
  }

  /// What is known of the network.
  public internal(set) var path = Connection.unknown
  /// The place that the board is at; `nil` before it is known, where nobody knows one, and once
  /// the program may no longer know.
  public internal(set) var currentPlace: Place?
  /// Fresh weather at ``currentPlace``; `nil` before there is any, and while not connected.
  public internal(set) var weather: WeatherReport?
  /// Why the board's place may not be known, where it may not.
  public internal(set) var authorizationAlert: AuthorizationAlert?
  /// What failed last and has not succeeded since.
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

  /// What the feature is titled: the place, or `Weather` where there is none.
  public var title: String { currentPlace?.title ?? "Weather" }

  /// What to say of the network; `nil` unless there is known to be no way out.
  public var connectionMessage: String? {
    path == .notConnected ? "Not connected to internet" : nil
  }
}
