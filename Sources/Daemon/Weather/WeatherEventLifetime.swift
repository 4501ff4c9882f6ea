// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// The time for which the last weather event is sent to new clients.
enum WeatherEventLifetime {
  /// Lifetime of interpolated values, in seconds.
  ///
  /// Interpolated values are published once a minute. If the last event is five minutes old, no
  /// more outlooks are published.
  static let interpolatedSeconds = 5 * OutlookSchedule.intervalSeconds
  /// Lifetime of the weather of a cell, in seconds: the update interval of reduced locations.
  static let reducedSeconds = 900.0

  /// Returns the remaining lifetime of a sensor's values, in seconds.
  static func seconds(of answer: WeatherAnswer) -> Double {
    min(interpolatedSeconds, max(InstrumentReadings.currentSeconds - answer.ageSeconds, 0))
  }

  /// Returns the remaining lifetime of a provider's report, in seconds.
  ///
  /// The age is measured from the report's time of validity or its time of arrival, whichever is
  /// older. The result is at least two minutes, because a report is published as fresh when it
  /// arrives.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - now: The current monotonic time.
  ///   - utcNow: The current time; `nil` if it is unknown.
  /// - Returns: The lifetime in seconds.
  static func seconds(
    of report: WeatherReport, now: MonotonicTime, utcNow: UTCTime?
  ) -> Double {
    var age = report.receivedAt.map { now.seconds(since: $0) } ?? 0
    if let utcNow, let since = report.validAt ?? report.issuedAt {
      age = max(age, Double(utcNow.nanoseconds(since: since)) / 1e9)
    }
    return max(WeatherResolver().freshSeconds - age, 2 * OutlookSchedule.intervalSeconds)
  }
}
