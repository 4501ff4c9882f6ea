// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

/// A forecast that was fetched once, and what it says of any moment since.
public struct StoredForecast: Equatable, Hashable, Sendable {
  /// The longest step that is interpolated over, in seconds: six hours.
  ///
  /// Such are the later days of forecasts. What lies in a longer gap is not known.
  public static let longestStepSeconds = 21_600.0

  /// Where it is for.
  public let coordinate: Coordinate
  /// When it was computed; where the provider does not say, when it arrived.
  public let issuedAt: UTCTime
  /// The provider's name.
  public let provider: String
  /// The attribution that the licence requires.
  public var attribution: String?
  /// Whether it is the product of a simulation.
  public var isSimulated = false
  /// Its steps, the earliest first, each at a time of its own.
  public let samples: [ForecastSample]

  /// Makes a forecast.
  ///
  /// - Parameters:
  ///   - coordinate: Where it is for.
  ///   - issuedAt: When it was computed.
  ///   - provider: Who made it.
  ///   - samples: Its steps in any order; of several at one time the first counts.
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

  /// The weather at a moment.
  ///
  /// - Parameter time: The moment.
  /// - Returns: The weather between the samples before and after it; `nil` before the first, after
  ///   the last, and in a gap: nothing is ever extrapolated.
  public func weather(at time: UTCTime) -> CurrentWeather? {
    // The number of samples that are not after the moment.
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
  /// The forecast of a report.
  ///
  /// Gives `nil` where it says nothing of them.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - receivedAt: When it came, for a provider that does not say when it was computed.
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
  }
}
