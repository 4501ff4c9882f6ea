// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// A stored forecast that can be interpolated to any time within its steps.
public struct StoredForecast: Equatable, Hashable, Sendable {
  /// The maximum time between two samples for interpolation, in seconds: six hours.
  ///
  /// The last days of forecasts have steps of six hours. In a longer gap, the weather is unknown.
  public static let longestStepSeconds = 21_600.0

  /// The coordinate of the forecast.
  public let coordinate: Coordinate
  /// The time at which the forecast was computed, or the time of arrival if the provider does not
  /// send the time of the computation.
  public let issuedAt: UTCTime
  /// The provider's name.
  public let provider: String
  /// The program that looked up the forecast for this board; `nil` if the board did so itself.
  public var via: String?
  /// The attribution that the licence requires.
  public var attribution: String?
  /// Whether the forecast is simulated.
  public var isSimulated = false
  /// The steps, the earliest first, without duplicate times.
  public let samples: [ForecastSample]

  /// Creates a forecast.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate of the forecast.
  ///   - issuedAt: The time at which the forecast was computed.
  ///   - provider: The provider's name.
  ///   - samples: The steps in any order. Of several steps with the same time, the first is used.
  public init(
    coordinate: Coordinate, issuedAt: UTCTime, provider: String, samples: [ForecastSample]
  ) {
    self.coordinate = coordinate
    self.issuedAt = issuedAt
    self.provider = provider
    var sorted: [ForecastSample] = []
    for sample in samples.sorted(by: { $0.time < $1.time }) where sorted.last?.time != sample.time {
      sorted.append(sample)
    }
    self.samples = sorted
  }

  /// Returns the weather at a time, interpolated between the adjacent samples.
  ///
  /// - Parameter time: The time.
  /// - Returns: The weather, or `nil` before the first sample, after the last sample, and in a gap
  ///   longer than ``longestStepSeconds``. Values are never extrapolated.
  public func weather(at time: UTCTime) -> CurrentWeather? {
    // `low` becomes the number of samples at or before `time`.
    var (low, high) = (0, samples.count)
    while low < high {
      let middle = (low + high) / 2
      if samples[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let before = samples[low - 1]
    if before.time == time { return before.weather(until: before, after: 0, of: 0) }
    guard low < samples.count else { return nil }
    let after = samples[low]
    let span = Double(after.time.nanoseconds(since: before.time)) / 1e9
    guard span <= Self.longestStepSeconds else { return nil }
    let seconds = Double(time.nanoseconds(since: before.time)) / 1e9
    return before.weather(until: after, after: seconds, of: span)
  }
}

extension StoredForecast {
  /// Creates a forecast from the hours of a report, or returns `nil` if the report has no hours.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - receivedAt: The time at which the report arrived, used if `issuedAt` is `nil`.
  public init?(_ report: WeatherReport, receivedAt: UTCTime) {
    guard !report.hours.isEmpty else { return nil }
    self.init(
      coordinate: report.coordinate, issuedAt: report.issuedAt ?? receivedAt,
      provider: report.provider,
      samples: report.hours.map {
        ForecastSample(
          time: $0.time, durationSeconds: max(0, $0.durationSeconds), weather: $0.weather)
      })
    attribution = report.attribution
    isSimulated = report.isSimulated
    via = report.via
  }
}
