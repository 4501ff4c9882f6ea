// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import WeatherClient

extension WeatherReport {
  /// Returns the steps of the hourly forecast that have not ended at a time.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - hours: The number of hours after the time in which the steps begin.
  /// - Returns: The steps, the earliest first.
  package func hours(from time: UTCTime, for hours: Int) -> [HourWeather] {
    let start = time.secondsSince1970
    return self.hours.filter { step in
      let begin = step.time.secondsSince1970
      return begin &+ Int64(step.durationSeconds) > start
        && begin < start &+ Int64(hours) * 3600
    }
  }

  /// Returns the probability of precipitation in the step that contains a time, 0 to 100; `nil` if
  /// it is unknown.
  package func precipitationProbabilityPercent(at time: UTCTime?) -> Double? {
    time.flatMap { hours(from: $0, for: 1).first }.flatMap { step in
      step.time <= time ?? step.time ? step.precipitationProbabilityPercent : nil
    }
  }
}
