// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

extension [HourWeather] {
  /// For how long the beginning of a step may stand for now: the longest steps there are.
  private static var longestSeconds: Int64 { 6 * 3600 }

  /// The step that is now's: the last that has begun; the first where nobody knows the time.
  ///
  /// - Parameter now: The provider's own clock.
  /// - Returns: `nil` where the last has begun too long ago to say anything of now.
  func current(at now: UTCTime?) -> HourWeather? {
    guard let now, let begun = last(where: { $0.time <= now }) else { return first }
    let age = now.secondsSince1970 &- begun.time.secondsSince1970
    return age < Self.longestSeconds ? begun : nil
  }
}
