// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// A reading of the board's own sensor or of an instrument on a receiver's wire.
///
/// Unmeasured quantities are `nil`.
public struct SensorReading: Equatable, Hashable, Sendable {
  /// The sensor's name, mostly its type: `bme280`.
  public var name: String
  /// The temperature at the sensor in degrees Celsius.
  ///
  /// A sensor beside a processor reads several degrees more than the air: nothing is taken off.
  public var temperatureDegreesCelsius: Double?
  /// The air pressure at the sensor's height in hectopascals; not that of sea level.
  public var pressureStationHectopascals: Double?
  /// Relative humidity at the sensor, above 0 to 100.
  public var humidityPercent: Double?
  /// The air pressure in hectopascals of an instrument that does not state whether it is that at the
  /// sensor or that of sea level, as the sentence MDA.
  public var pressureUnstatedHectopascals: Double?
  /// The air pressure in hectopascals, reduced to sea level by the instrument.
  public var pressureSeaLevelHectopascals: Double?
  /// The temperature at which dew would form, in degrees Celsius.
  public var dewPointDegreesCelsius: Double?
  /// Speed of the true wind in metres per second.
  public var windSpeedMetersPerSecond: Double?
  /// Where the true wind comes from, in degrees from true north.
  public var windDirectionDegreesTrue: Double?
  /// Temperature of the water in degrees Celsius.
  public var waterTemperatureDegreesCelsius: Double?
  /// The receiver whose wire it came by, such as a devnode; `nil` for the board's own sensor.
  public var receiver: String?
  /// Whether it is the product of a simulation.
  public var isSimulated = false
  /// When it was read.
  public var measuredAt: MonotonicTime?
  /// What it should measure and could not.
  public var faults: [SensorFault]

  /// Makes a reading that says nothing.
  public init(name: String) {
    self.name = name
    faults = []
  }

  /// Whether it says nothing.
  public var isEmpty: Bool { Self.quantities.allSatisfy { self[keyPath: $0] == nil } }

  private static var quantities: [WritableKeyPath<SensorReading, Double?>] {
    [
      \.temperatureDegreesCelsius, \.pressureStationHectopascals, \.humidityPercent,
      \.pressureUnstatedHectopascals, \.pressureSeaLevelHectopascals, \.dewPointDegreesCelsius,
      \.windSpeedMetersPerSecond,
      \.windDirectionDegreesTrue, \.waterTemperatureDegreesCelsius,
    ]
  }

  /// One reading of several: of each quantity the first that was measured.
  ///
  /// - Parameter readings: What each sensor says, the most trusted first.
  /// - Returns: The reading, under the names of all that it is made of, as old as the oldest; `nil`
  ///   where nothing was measured.
  public static func combined(_ readings: [SensorReading]) -> SensorReading? {
    var combined: SensorReading?
    for reading in readings where !reading.isEmpty {
      guard var sum = combined else {
        combined = reading
        continue
      }
      let before = sum
      for quantity in quantities {
        sum[keyPath: quantity] = sum[keyPath: quantity] ?? reading[keyPath: quantity]
      }
      guard sum != before else { continue }
      sum.name = joined(sum.name, reading.name)
      sum.receiver = reading.receiver.map { joined(sum.receiver, $0) } ?? sum.receiver
      sum.isSimulated = sum.isSimulated || reading.isSimulated
      sum.faults += reading.faults
      // Of two ages the greater; and an unknown one stays unknown.
      sum.measuredAt = sum.measuredAt.flatMap { own in reading.measuredAt.map { min(own, $0) } }
      combined = sum
    }
    return combined
  }

  /// Names with a `+` between them, each once.
  private static func joined(_ names: String?, _ name: String) -> String {
    guard let names else { return name }
    return names.split(separator: "+").contains(name[...]) ? names : names + "+" + name
  }
}

/// A quantity that a sensor should measure and could not.
public struct SensorFault: Equatable, Hashable, Sendable {
  /// What is measured.
  public enum Quantity: String, CaseIterable, Hashable, Sendable {
    /// Temperature.
    case temperature
    /// Air pressure.
    case pressure
    /// Relative humidity.
    case humidity
  }

  /// Why it could not be.
  public enum Reason: Error, Equatable, Hashable, Sendable {
    /// Reading failed with that `errno`.
    case unreadable(code: Int32)
    /// What was read is no number; its first characters.
    case notANumber(String)
    /// What was read is beyond what air can be, in the unit of the reading.
    case outOfRange(Double)
    /// There is a raw value, and nothing that says in what unit.
    case withoutScale
  }

  /// What should have been measured.
  public var quantity: Quantity
  /// Why it could not be.
  public var reason: Reason

  /// Makes a fault.
  ///
  /// - Parameters:
  ///   - quantity: What should have been measured.
  ///   - reason: Why it could not be.
  public init(_ quantity: Quantity, _ reason: Reason) {
    self.quantity = quantity
    self.reason = reason
  }
}
