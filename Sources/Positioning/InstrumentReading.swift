// SPDX-License-Identifier: Apache-2.0

/// Weather that instruments on a receiver's wire have measured; a quantity that is not part of it is
/// `nil`.
public struct InstrumentReading: Equatable, Sendable {
  /// The receiver whose wire it came by, such as a devnode.
  public var source: String?
  /// The time of the epoch that the reading belongs to; `nil` where the receiver has stated none.
  public var time: UTCTime?
  /// When it arrived; `nil` in a replay at once.
  public var receivedAt: MonotonicTime?
  /// Whether it is the product of a simulation.
  public var isSimulated = false
  /// Air pressure at the sensor's height in hectopascals.
  public var pressureStationHectopascals: Double?
  /// Air pressure in hectopascals, where the sender does not state whether it is that at the sensor
  /// or that of sea level.
  public var pressureUnstatedHectopascals: Double?
  /// Air pressure in hectopascals, reduced to sea level.
  public var pressureSeaLevelHectopascals: Double?
  /// Temperature of the outside air in degrees Celsius.
  public var airTemperatureDegreesCelsius: Double?
  /// The temperature at which dew would form, in degrees Celsius.
  public var dewPointDegreesCelsius: Double?
  /// Relative humidity of the outside air, above 0 to 100.
  public var humidityPercent: Double?
  /// Speed of the true wind in metres per second.
  public var windSpeedMetersPerSecond: Double?
  /// Where the true wind comes from, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Temperature of the water in degrees Celsius.
  public var waterTemperatureDegreesCelsius: Double?

  /// Makes a reading without any quantity.
  ///
  /// - Parameter source: The receiver whose wire it came by.
  public init(source: String?) { self.source = source }

  /// Whether no quantity is known.
  public var isEmpty: Bool {
    InstrumentQuantity.allCases.allSatisfy { self[keyPath: $0.field] == nil }
  }
}
