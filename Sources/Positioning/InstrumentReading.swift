// SPDX-License-Identifier: Apache-2.0

/// A weather reading from instruments on a receiver's line; quantities that were not measured are
/// `nil`.
public struct InstrumentReading: Equatable, Sendable {
  /// The name of the receiver, such as a devnode.
  public var source: String?
  /// The time of the epoch to which the reading belongs; `nil` if the receiver has not sent a time.
  public var time: UTCTime?
  /// The time of arrival; `nil` in a replay at full speed.
  public var receivedAt: MonotonicTime?
  /// Whether the reading is simulated.
  public var isSimulated = false
  /// Whether the reading is from a recording.
  public var isReplayed = false
  /// Air pressure at the sensor's height in hectopascals.
  public var pressureStationHectopascals: Double?
  /// Air pressure in hectopascals, either at the sensor or at sea level: the sender does not state
  /// which.
  public var pressureUnstatedHectopascals: Double?
  /// Air pressure in hectopascals, reduced to sea level.
  public var pressureSeaLevelHectopascals: Double?
  /// Temperature of the outside air in degrees Celsius.
  public var airTemperatureDegreesCelsius: Double?
  /// Dew point in degrees Celsius.
  public var dewPointDegreesCelsius: Double?
  /// Relative humidity of the outside air, above 0 to 100.
  public var humidityPercent: Double?
  /// Speed of the true wind in metres per second.
  public var windSpeedMetersPerSecond: Double?
  /// Direction from which the true wind blows, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Temperature of the water in degrees Celsius.
  public var waterTemperatureDegreesCelsius: Double?

  /// Makes a reading without any quantity.
  public init(source: String?) { self.source = source }

  /// Whether no quantity is known.
  public var isEmpty: Bool {
    InstrumentQuantity.allCases.allSatisfy { self[keyPath: $0.field] == nil }
  }
}
