// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Units as a reply states them: a server of one's own may answer in others than were asked for.
struct OpenMeteoUnits {
  /// The object that states them, for errors.
  let object: String
  let units: [String: String?]?

  func celsius(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch unit(field) {
    case nil, "°C": value
    case "°F": (value - 32) / 1.8
    case let other?: throw unknown(other, field)
    }
  }

  /// What was asked for is metres per second; a reply that states no unit is taken at that.
  func metersPerSecond(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch unit(field) {
    case nil, "m/s": value
    case "km/h": value / 3.6
    case "mp/h", "mph": value * 0.44704
    case "kn": value * 1852 / 3600
    case let other?: throw unknown(other, field)
    }
  }

  func millimeters(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch unit(field) {
    case nil, "mm": value
    case "inch": value * 25.4
    case let other?: throw unknown(other, field)
    }
  }

  private func unit(_ field: String) -> String? { units?[field] ?? nil }

  private func unknown(_ unit: String, _ field: String) -> WeatherError {
    .malformed(field: "\(object).\(field)", reason: "is \"\(unit)\", which is no unit known here")
  }
}
