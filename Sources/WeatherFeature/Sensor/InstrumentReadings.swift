// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning
public import WeatherClient

/// The newest value of each quantity from instruments connected through receivers.
///
/// If two receivers send the same quantity, values of the second receiver are ignored until the
/// first receiver has been silent for 30 seconds. Values that alternate between two barometers
/// would reset the pressure tendency.
public struct InstrumentReadings: Equatable, Sendable {
  /// The maximum age of a current value in seconds.
  public static let currentSeconds = 600.0
  /// The silence in seconds after which values of another receiver are used.
  static let silenceSeconds = 30.0

  private struct Value: Equatable {
    var value: Double
    var receiver: String?
    var time: UTCTime?
    var receivedAt: MonotonicTime?
    var isSimulated: Bool
    var isReplayed: Bool
  }

  private var values: [InstrumentQuantity: Value] = [:]

  /// Creates readings without values.
  public init() {}

  /// Whether there are no values.
  public var isEmpty: Bool { values.isEmpty }

  /// The recorded time of the newest value, or `nil` if no value has a recorded time.
  public var newestTime: UTCTime? { values.values.compactMap(\.time).max() }

  /// Adds the values of a reading.
  ///
  /// - Parameter reading: The reading. Quantities without a value in the reading keep their values.
  public mutating func take(_ reading: InstrumentReading) {
    for quantity in InstrumentQuantity.allCases {
      guard let number = reading[keyPath: quantity.field] else { continue }
      let new = Value(
        value: number, receiver: reading.source, time: reading.time,
        receivedAt: reading.receivedAt, isSimulated: reading.isSimulated,
        isReplayed: reading.isReplayed)
      if let old = values[quantity], old.receiver != new.receiver,
        let gap = Self.seconds(from: old, to: new), gap < Self.silenceSeconds
      {
        continue
      }
      values[quantity] = new
    }
  }

  /// Returns the current values of live receivers.
  ///
  /// - Parameter now: The current time.
  /// - Returns: One reading per receiver, sorted by receiver, with the time of its oldest value.
  public func sensors(now: MonotonicTime) -> [SensorReading] {
    sensors(now: now) { value in value.receivedAt.map { now.seconds(since: $0) } }
  }

  /// Returns the values of a recording that were current at a recorded time.
  ///
  /// - Parameters:
  ///   - time: The recorded time.
  ///   - now: The current time, from which the ages are subtracted to get `measuredAt`.
  /// - Returns: One reading per receiver, sorted by receiver, with the time of its oldest value.
  public func sensors(at time: UTCTime, now: MonotonicTime) -> [SensorReading] {
    sensors(now: now) { value in value.time.map { Double(time.nanoseconds(since: $0)) / 1e9 } }
  }

  private func sensors(
    now: MonotonicTime, ageSeconds: (Value) -> Double?
  ) -> [SensorReading] {
    var sensors: [String: SensorReading] = [:]
    for (quantity, value) in values {
      guard let age = ageSeconds(value), age >= 0, age <= Self.currentSeconds else { continue }
      let receiver = value.receiver ?? ""
      var sensor = sensors[receiver] ?? SensorReading(name: "instruments")
      let measuredAt = now.advanced(byNanoseconds: -Int64(age * 1e9))
      sensor.receiver = value.receiver
      sensor.measuredAt = min(sensor.measuredAt ?? measuredAt, measuredAt)
      sensor.isSimulated = sensor.isSimulated || value.isSimulated
      sensor.isReplayed = sensor.isReplayed || value.isReplayed
      sensor[keyPath: Self.field(of: quantity)] = value.value
      sensors[receiver] = sensor
    }
    return sensors.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func seconds(from old: Value, to new: Value) -> Double? {
    if let before = old.receivedAt, let after = new.receivedAt {
      return after.seconds(since: before)
    }
    guard let before = old.time, let after = new.time else { return nil }
    return Double(after.nanoseconds(since: before)) / 1e9
  }

  private static func field(
    of quantity: InstrumentQuantity
  ) -> WritableKeyPath<SensorReading, Double?> {
    switch quantity {
    case .pressureStation: \.pressureStationHectopascals
    case .pressureUnstated: \.pressureUnstatedHectopascals
    case .pressureSeaLevel: \.pressureSeaLevelHectopascals
    case .airTemperature: \.temperatureDegreesCelsius
    case .dewPoint: \.dewPointDegreesCelsius
    case .humidity: \.humidityPercent
    case .windSpeed: \.windSpeedMetersPerSecond
    case .windDirection: \.windDirectionDegreesTrue
    case .waterTemperature: \.waterTemperatureDegreesCelsius
    }
  }
}

/// An event with the newest values from instruments connected through receivers.
public struct InstrumentEvent: PipelineEvent, Equatable {
  /// The newest value of each quantity, including the values of earlier events.
  public var readings: InstrumentReadings

  /// Creates an event.
  public init(_ readings: InstrumentReadings) { self.readings = readings }
}
