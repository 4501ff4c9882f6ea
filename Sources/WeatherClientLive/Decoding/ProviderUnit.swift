// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Converts values from a provider's units to the units of this project.
///
/// The prefix of WMO unit names (`wmoUnit:degC`) is ignored. A value without a unit is assumed to
/// be in the project's unit.
enum ProviderUnit {
  /// Converts a value.
  ///
  /// The arguments are the value, the provider's unit name, and the path of the field for the error
  /// message. A conversion throws `malformed` for an unknown unit.
  typealias Conversion = (Double?, String?, String) throws(WeatherError) -> Double?

  static func celsius(
    _ value: Double?, _ unit: String?, _ field: String
  ) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch withoutPrefix(unit) {
    case nil, "°C", "celsius", "C", "degC": value
    case "°F", "fahrenheit", "F", "degF": (value - 32) / 1.8
    case "K", "kelvin": value - 273.15
    case let other?: throw unknownUnit(other, field)
    }
  }

  static func metersPerSecond(
    _ value: Double?, _ unit: String?, _ field: String
  ) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch withoutPrefix(unit) {
    case nil, "m/s", "m_s-1": value
    case "km/h", "km_h-1": value / 3.6
    case "mp/h", "mph": value * 0.44704
    case "kn": value * 1852 / 3600
    case let other?: throw unknownUnit(other, field)
    }
  }

  static func millimeters(
    _ value: Double?, _ unit: String?, _ field: String
  ) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch withoutPrefix(unit) {
    case nil, "mm": value
    case "inch", "in": value * 25.4
    case "cm": value * 10
    case "m": value * 1000
    case let other?: throw unknownUnit(other, field)
    }
  }

  static func hectopascals(
    _ value: Double?, _ unit: String?, _ field: String
  ) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch withoutPrefix(unit) {
    case nil, "hPa", "mbar": value
    case "Pa": value / 100
    case "inHg": value * 33.863886666667
    case let other?: throw unknownUnit(other, field)
    }
  }

  static func meters(
    _ value: Double?, _ unit: String?, _ field: String
  ) throws(WeatherError) -> Double? {
    guard let value else { return nil }
    return switch withoutPrefix(unit) {
    case nil, "m": value
    case "km": value * 1000
    case "ft": value * 0.3048
    case "mi": value * 1609.344
    case let other?: throw unknownUnit(other, field)
    }
  }

  private static func withoutPrefix(_ unit: String?) -> String? {
    unit.map { String($0[($0.lastIndex(of: ":").map($0.index(after:)) ?? $0.startIndex)...]) }
  }

  private static func unknownUnit(_ unit: String, _ field: String) -> WeatherError {
    .malformed(
      field: field, reason: "is \"\(WeatherReply.sanitized(unit))\", which is not a known unit")
  }
}
