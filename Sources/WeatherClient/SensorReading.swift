// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A reading of a weather sensor on the board, or of instruments connected through a receiver.
///
/// Quantities that were not measured are `nil`.
public struct SensorReading: Equatable, Hashable, Sendable {
  /// The sensor's name, usually its model, such as `bme280`.
  public var name: String
  /// The temperature at the sensor in degrees Celsius.
  ///
  /// The value is not corrected. A sensor next to a processor reports several degrees more than the
  /// air temperature.
  public var temperatureDegreesCelsius: Double?
  /// The air pressure at the sensor's height in hectopascals, not reduced to sea level.
  public var pressureStationHectopascals: Double?
  /// Relative humidity at the sensor in percent, more than 0 and at most 100.
  public var humidityPercent: Double?
  /// The air pressure in hectopascals from a source that does not state whether it is reduced to
  /// sea level, such as the NMEA sentence MDA.
  public var pressureUnstatedHectopascals: Double?
  /// The air pressure in hectopascals, reduced to sea level by the instrument.
  public var pressureSeaLevelHectopascals: Double?
  /// Dew point in degrees Celsius.
  public var dewPointDegreesCelsius: Double?
  /// Speed of the true wind in metres per second.
  public var windSpeedMetersPerSecond: Double?
  /// Direction from which the true wind blows, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Water temperature in degrees Celsius.
  public var waterTemperatureDegreesCelsius: Double?
  /// The name of the receiver that sent the data, such as `/dev/ttyUSB0`, or `nil` for a sensor of
  /// the board.
  public var receiver: String?
  /// Whether the reading is simulated.
  public var isSimulated = false
  /// Whether the reading is from a recording.
  public var isReplayed = false
  /// The time of the measurement.
  public var measuredAt: MonotonicTime?
  /// The quantities that the sensor failed to measure, with the reasons.
  public var faults: [SensorFault]

  /// Creates a reading without values.
  public init(name: String) {
    self.name = name
    faults = []
  }

  /// Whether the reading has no value.
  public var isEmpty: Bool { Self.quantities.allSatisfy { self[keyPath: $0] == nil } }

  private static var quantities: [WritableKeyPath<SensorReading, Double?>] {
    [
      \.temperatureDegreesCelsius, \.pressureStationHectopascals, \.humidityPercent,
      \.pressureUnstatedHectopascals, \.pressureSeaLevelHectopascals, \.dewPointDegreesCelsius,
      \.windSpeedMetersPerSecond,
      \.windDirectionDegreesTrue, \.waterTemperatureDegreesCelsius,
    ]
  }

  /// Combines the readings of several sensors.
  ///
  /// For each quantity, the combined reading contains the first value in the list.
  ///
  /// - Parameter readings: The readings, the most trusted first.
  /// - Returns: The combined reading, with the names of all sensors that contribute a value and the
  ///   time of the oldest of their readings; `nil` if no reading has a value.
  public static func combined(_ readings: [SensorReading]) -> SensorReading? {
    var combined: SensorReading?
    for reading in readings where !reading.isEmpty {
      guard var merged = combined else {
        combined = reading
        continue
      }
      let before = merged
      for quantity in quantities {
        merged[keyPath: quantity] = merged[keyPath: quantity] ?? reading[keyPath: quantity]
      }
      guard merged != before else { continue }
      merged.name = joined(merged.name, reading.name)
      merged.receiver = reading.receiver.map { joined(merged.receiver, $0) } ?? merged.receiver
      merged.isSimulated = merged.isSimulated || reading.isSimulated
      merged.isReplayed = merged.isReplayed || reading.isReplayed
      merged.faults += reading.faults
      // Use the earlier time, or `nil` if one of the two times is unknown.
      merged.measuredAt = merged.measuredAt.flatMap { time in
        reading.measuredAt.map { min(time, $0) }
      }
      combined = merged
    }
    return combined
  }

  /// Joins names with `+`, without duplicates.
  private static func joined(_ names: String?, _ name: String) -> String {
    guard let names else { return name }
    return names.split(separator: "+").contains(name[...]) ? names : names + "+" + name
  }
}

/// A quantity that a sensor failed to measure.
public struct SensorFault: Equatable, Hashable, Sendable {
  /// A quantity that a sensor measures.
  public enum Quantity: String, CaseIterable, Hashable, Sendable {
    /// Temperature.
    case temperature
    /// Air pressure.
    case pressure
    /// Relative humidity.
    case humidity
  }

  /// The reason why a measurement failed.
  public enum Reason: Error, Equatable, Hashable, Sendable {
    /// The value could not be read; `code` is the `errno`.
    case unreadable(code: Int32)
    /// The value is not a number. The associated text contains the first characters.
    case notANumber(String)
    /// The value is physically implausible. The associated value is in the unit of the reading.
    case outOfRange(Double)
    /// The device reports a raw value without the scale to convert it.
    case withoutScale
  }

  /// The quantity.
  public var quantity: Quantity
  /// The reason why the measurement failed.
  public var reason: Reason

  /// Creates a fault.
  public init(_ quantity: Quantity, _ reason: Reason) {
    self.quantity = quantity
    self.reason = reason
  }
}
