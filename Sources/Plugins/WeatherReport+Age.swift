// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

extension WeatherReport {
  /// The maximum seconds by which a report's time may be later than a correct wall clock.
  private static let maxSecondsAhead = 86_400.0

  /// Returns the seconds since the provider computed the values, or, if that time is unknown, since
  /// the time for which the values are valid.
  ///
  /// The time of arrival is not used. Returns `nil` if the provider reports neither time, or if the
  /// wall clock is unknown or implausible.
  func ageSeconds(at now: UTCTime?) -> Double? {
    guard let now, let since = issuedAt ?? validAt else { return nil }
    let seconds = Double(now.nanoseconds(since: since)) / 1e9
    return seconds > -Self.maxSecondsAhead ? max(seconds, 0) : nil
  }
}
