// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

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
