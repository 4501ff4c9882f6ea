// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient
internal import WeatherFeature

/// For how long what was told of the weather is told to those who come later.
enum WeatherEventLifetime {
  /// What is interpolated to a moment is told anew once a minute; where nothing comes any more that
  /// could cause it, what was said last is none.
  static let interpolatedSeconds = 5 * OutlookSchedule.intervalSeconds
  /// As long as the cell of reduced accuracy holds.
  static let reducedSeconds = 900.0

  /// For how many seconds the values of a sensor are told: as long as they are current.
  static func seconds(of answer: WeatherAnswer) -> Double {
    min(interpolatedSeconds, max(InstrumentReadings.currentSeconds - answer.ageSeconds, 0))
  }

  /// For how many seconds a provider's word is a fresh one.
  ///
  /// - Parameters:
  ///   - report: What it said.
  ///   - now: The present reading of the clock that never jumps.
  ///   - utcNow: What time it is; `nil` where that is not known.
  /// - Returns: By when it was true, and by when it came; two minutes at least, since it is told as
  ///   fresh in the moment that it comes.
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
