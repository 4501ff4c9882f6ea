// SPDX-License-Identifier: Apache-2.0

public import Positioning
public import WeatherClient

extension StoredForecast {
  /// What a report says of the hours to come.
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
