// SPDX-License-Identifier: Apache-2.0

internal import Plugins
internal import Positioning
internal import WeatherClient
internal import WeatherFeature

extension WeatherOutlook {
  /// Why nothing of a report is told though a provider has answered.
  ///
  /// Nearly always it is the board's clock: what is said of another time is not told for now.
  ///
  /// - Parameter ladder: What counts as which kind of answer.
  /// - Returns: Why, in a sentence; `nil` where something of it is told, or there is none.
  func silence(_ ladder: WeatherLadder) -> String? {
    guard let report, !self.ladder.weather.contains(where: { $0.rung < .sensor }) else {
      return nil
    }
    let provider = report.provider
    guard let time else {
      return "\(provider) has answered, and this board does not know what time it is: set the clock"
    }
    if let said = report.validAt ?? report.issuedAt {
      let ahead = Double(said.nanoseconds(since: time)) / 1e9
      let amount = OutlookText.age(abs(ahead))
      if ahead > ladder.clockToleranceSeconds {
        return "the clock is \(amount) behind \(provider)'s report: set the clock"
      }
      if -ahead > ladder.freshSeconds {
        return "the clock is \(amount) ahead of \(provider)'s report: set the clock, or ask another"
      }
    }
    let meters = coordinate.distanceMeters(to: report.coordinate)
    let away =
      meters > ladder.freshMeters ? ", and is for a place \(Int(meters / 1000)) km away" : ""
    return "\(provider)'s report says nothing of here and now\(away)"
  }
}
