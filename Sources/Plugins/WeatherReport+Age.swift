// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

extension WeatherReport {
  /// How far ahead a forecast may be valid before the board's wall clock is taken to be wrong.
  private static let maxSecondsAhead = 86_400.0

  /// Seconds since the provider computed the values, or else since they were true.
  ///
  /// Not since they arrived: a provider's answer is as old as what is in it. Unknown where the
  /// provider says neither, or where the wall clock is unknown or behind what cannot be.
  func ageSeconds(at now: UTCTime?) -> Double? {
    guard let now, let since = issuedAt ?? validAt else { return nil }
    let seconds = Double(now.nanoseconds(since: since)) / 1e9
    return seconds > -Self.maxSecondsAhead ? max(seconds, 0) : nil
  }
}
