// SPDX-License-Identifier: Apache-2.0

/// A quantity measured by instruments on a receiver's line.
public enum InstrumentQuantity: CaseIterable, Hashable, Sendable {
  /// Air pressure at the sensor.
  case pressureStation
  /// Air pressure at the sensor or at sea level; the sender does not state which.
  case pressureUnstated
  /// Air pressure at sea level.
  case pressureSeaLevel
  /// Temperature of the outside air.
  case airTemperature
  /// Dew point.
  case dewPoint
  /// Relative humidity of the outside air.
  case humidity
  /// Speed of the true wind.
  case windSpeed
  /// Direction from which the true wind blows.
  case windDirection
  /// Temperature of the water.
  case waterTemperature

  /// The property of a reading for this quantity.
  public var field: WritableKeyPath<InstrumentReading, Double?> {
    switch self {
    case .pressureStation: \.pressureStationHectopascals
    case .pressureUnstated: \.pressureUnstatedHectopascals
    case .pressureSeaLevel: \.pressureSeaLevelHectopascals
    case .airTemperature: \.airTemperatureDegreesCelsius
    case .dewPoint: \.dewPointDegreesCelsius
    case .humidity: \.humidityPercent
    case .windSpeed: \.windSpeedMetersPerSecond
    case .windDirection: \.windDirectionDegreesTrue
    case .waterTemperature: \.waterTemperatureDegreesCelsius
    }
  }

  /// The plausible outdoor values, in the unit of ``field``.
  ///
  /// Values outside this range are from a broken sensor, such as a humidity of 0 from a dead
  /// sensor.
  public var range: ClosedRange<Double> {
    switch self {
    case .pressureStation, .pressureUnstated: 300...1100
    case .pressureSeaLevel: 850...1100
    case .airTemperature, .dewPoint: -60...60
    case .humidity: 0.1...100
    case .windSpeed: 0...110
    case .windDirection: 0...360
    case .waterTemperature: -3...36
    }
  }
}
