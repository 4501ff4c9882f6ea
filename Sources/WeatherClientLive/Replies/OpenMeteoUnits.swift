// SPDX-License-Identifier: Apache-2.0

internal import WeatherClient

/// Units as a reply states them: a server of one's own may answer in others than were asked for.
struct OpenMeteoUnits {
  /// The object that states them, for errors.
  let object: String
  let units: [String: String?]?

  func celsius(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    try ProviderUnit.celsius(value, unit(field), "\(object).\(field)")
  }

  func metersPerSecond(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    try ProviderUnit.metersPerSecond(value, unit(field), "\(object).\(field)")
  }

  func millimeters(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    try ProviderUnit.millimeters(value, unit(field), "\(object).\(field)")
  }

  /// Feet come with inches.
  func meters(_ value: Double?, _ field: String) throws(WeatherError) -> Double? {
    try ProviderUnit.meters(value, unit(field), "\(object).\(field)")
  }

  private func unit(_ field: String) -> String? { units?[field] ?? nil }
}
