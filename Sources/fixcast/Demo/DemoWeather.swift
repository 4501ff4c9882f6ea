// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning

/// Simulated weather, computed from a coordinate and a time, so that it is reproducible.
///
/// The values are plausible but not real; the server marks them as simulated.
struct DemoWeather: Equatable, Sendable {
  /// The weather at a time: °C, %, mm per quarter of an hour, hPa, m/s and degrees.
  struct Moment: Equatable, Sendable {
    var temperature: Double
    var apparentTemperature: Double
    var humidity: Double
    var precipitation: Double
    var weatherCode: Int
    var cloudCover: Double
    var pressure: Double
    var windSpeed: Double
    var windDirection: Double
  }

  let coordinate: Coordinate

  /// Returns the weather at a time.
  func moment(_ time: UTCTime) -> Moment {
    let day = Double(time.secondsSince1970) / 86_400
    let cloudCover = 50 + 50 * wave(day, period: 3.7, phase: 0)
    let temperature = meanTemperature(day) + 5 * dailyCycle(day) * (1 - cloudCover / 200)
    let rain = max(0, (cloudCover - 70) / 100)
    let wind = 5 + 4 * wave(day, period: 2.3, phase: 1)
    return Moment(
      temperature: temperature, apparentTemperature: temperature - wind * 0.3,
      humidity: min(max(60 + cloudCover / 4 - 8 * dailyCycle(day), 20), 100),
      precipitation: rain,
      weatherCode: code(cloudCover: cloudCover, rain: rain, temperature: temperature),
      cloudCover: cloudCover, pressure: 1013 - 15 * wave(day, period: 3.7, phase: 0.4),
      windSpeed: wind, windDirection: 180 + 179 * wave(day, period: 4.1, phase: 2))
  }

  /// The nautical time zone: one hour per 15 degrees of longitude.
  var zoneHours: Int64 { Int64((coordinate.longitudeDegrees / 15).rounded()) }

  /// Returns the midnight at which a date begins in the nautical time zone, in seconds since 1970.
  func midnight(_ date: UTCDate) -> Int64 {
    Int64(date.daysSince1970) * 86_400 - zoneHours * 3600
  }

  /// Returns the extremes, precipitation and weather code of a date, from 24 hourly values.
  func day(_ date: UTCDate) -> (
    lowest: Double, highest: Double, precipitation: Double, weatherCode: Int
  ) {
    let hours = (0..<24).map { hour in
      moment(UTCTime(secondsSince1970: midnight(date) + Int64(hour) * 3600))
    }
    return (
      hours.map(\.temperature).min() ?? 0, hours.map(\.temperature).max() ?? 0,
      hours.map(\.precipitation).reduce(0, +) * 4, hours[12].weatherCode
    )
  }

  /// Returns sunrise and sunset in seconds since 1970, accurate to a quarter of an hour; `nil` in
  /// polar day and night.
  func sun(_ date: UTCDate) -> (rise: Int64, set: Int64)? {
    let declination = -23.44 * cos(yearAngle(Double(date.daysSince1970) + 10)) * .pi / 180
    let latitude = coordinate.latitudeDegrees * .pi / 180
    // 0.833 degrees is the sum of the sun's radius and the refraction.
    let cosine =
      (sin(-0.833 * .pi / 180) - sin(latitude) * sin(declination))
      / (cos(latitude) * cos(declination))
    guard abs(cosine) < 1 else { return nil }
    let noon =
      Int64(date.daysSince1970) * 86_400 + 43_200 - Int64(coordinate.longitudeDegrees * 240)
    let halfDay = Int64(acos(cosine) * 43_200 / .pi)
    return (noon - halfDay, noon + halfDay)
  }

  /// The mean temperature of the day, with opposite seasons in the two hemispheres.
  private func meanTemperature(_ day: Double) -> Double {
    let sine = sin(coordinate.latitudeDegrees * .pi / 180)
    let square = sine * sine
    // 28 °C at the equator, 9 °C at London, -18 °C at the poles over the year; warmest about four
    // weeks after the solstice.
    let mean = 28 - 26 * square - 20 * square * square * square * square
    return mean - 9 * sine * cos(yearAngle(day - 18))
  }

  /// The angle of the year in radians, 0 at its beginning.
  private func yearAngle(_ day: Double) -> Double { 2 * .pi * day / 365.2425 }

  /// The daily cycle: 1 in mid-afternoon by local solar time, -1 before dawn.
  private func dailyCycle(_ day: Double) -> Double {
    cos(2 * .pi * (day + coordinate.longitudeDegrees / 360 - 15.0 / 24))
  }

  /// Weather systems that move east, -1 to 1.
  private func wave(_ day: Double, period: Double, phase: Double) -> Double {
    let angle = 2 * Double.pi * (day / period - coordinate.longitudeDegrees / 40)
    return sin(angle + phase + coordinate.latitudeDegrees / 15)
  }

  private func code(cloudCover: Double, rain: Double, temperature: Double) -> Int {
    switch (rain, cloudCover) {
    case (0.15..., _): temperature < 0 ? 73 : 63
    case (0.02..., _): temperature < 0 ? 71 : 61
    case (_, ..<10): 0
    case (_, ..<30): 1
    case (_, ..<60): 2
    default: 3
    }
  }
}
