// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import WeatherClient

/// The hours that a grid's layers are laid out over: a week from the first step of the temperature.
struct NWSGridHours: Equatable {
  private static let count = 7 * 24
  private let firstSecond: Int64

  /// - Parameter first: The first step's time and duration; `nil` where it is none.
  init?(first: String?) {
    guard let span = Self.span(first) else { return nil }
    firstSecond = span.second
  }

  /// The hours, with nothing in them.
  var blank: [HourWeather] {
    (0..<Self.count).map {
      HourWeather(time: UTCTime(secondsSince1970: firstSecond &+ Int64($0) * 3600))
    }
  }

  /// The value of each hour: a step holds for as long as it says.
  func values<Value>(_ layer: NWSGridReply.Layer<Value>?) -> [Value?] {
    var values = [Value?](repeating: nil, count: Self.count)
    for step in (layer?.values ?? []).prefix(2000) {
      guard let step, let value = step.value, let hours = hours(step.validTime) else { continue }
      for hour in hours { values[hour] = value }
    }
    return values
  }

  /// What falls to each hour of amounts that are of a whole step.
  func shares(_ layer: NWSGridReply.Layer<Double>?) -> [Double?] {
    var shares = [Double?](repeating: nil, count: Self.count)
    for step in (layer?.values ?? []).prefix(2000) {
      guard let step, let amount = step.value, let span = Self.span(step.validTime),
        let hours = hours(step.validTime)
      else { continue }
      for hour in hours { shares[hour] = amount * 3600 / Double(span.duration) }
    }
    return shares
  }

  private func hours(_ validTime: String?) -> Range<Int>? {
    guard let span = Self.span(validTime) else { return nil }
    // Both are Unix times of this epoch's years: their difference is far from any limit.
    let first = (span.second - firstSecond) / 3600
    let last = (span.second + Int64(span.duration) - firstSecond + 3599) / 3600
    let lower = min(max(Int(first), 0), Self.count)
    return lower..<min(max(Int(last), lower), Self.count)
  }

  private static func span(_ validTime: String?) -> (second: Int64, duration: Int)? {
    guard let parts = validTime?.split(separator: "/"), parts.count == 2,
      let begin = ProviderTime.iso(String(parts[0]))?.utc,
      let duration = ProviderTime.durationSeconds(parts[1])
    else { return nil }
    return (begin.secondsSince1970, duration)
  }
}
