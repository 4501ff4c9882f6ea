// SPDX-License-Identifier: Apache-2.0

public import Pipeline
public import Positioning
public import WeatherClient

/// The newest value of each quantity that instruments on receivers' wires have measured, each with
/// its own age.
///
/// Of two receivers that state one quantity, the one that was first keeps it until it has been silent
/// for 30 seconds: two barometers that take turns would have no tendency.
public struct InstrumentReadings: Equatable, Sendable {
  /// For how long a value is current, in seconds.
  public static let currentSeconds = 600.0
  /// After how many seconds a quantity passes to another receiver.
  static let silenceSeconds = 30.0

  private struct Value: Equatable {
    var value: Double
    var receiver: String?
    var time: UTCTime?
    var receivedAt: MonotonicTime?
    var isSimulated: Bool
  }

  private var values: [InstrumentQuantity: Value] = [:]

  /// Makes readings of which none is known.
  public init() {}

  /// Whether nothing has been measured.
  public var isEmpty: Bool { values.isEmpty }

  /// The recorded time of the newest value; `nil` where none has one.
  public var newestTime: UTCTime? { values.values.compactMap(\.time).max() }

  /// Takes what the instruments of a receiver have measured.
  ///
  /// - Parameter reading: The reading; a quantity that is not part of it keeps its value.
  public mutating func take(_ reading: InstrumentReading) {
    for quantity in InstrumentQuantity.allCases {
      guard let number = reading[keyPath: quantity.field] else { continue }
      let new = Value(
        value: number, receiver: reading.source, time: reading.time,
        receivedAt: reading.receivedAt, isSimulated: reading.isSimulated)
      if let old = values[quantity], old.receiver != new.receiver,
        let gap = Self.seconds(from: old, to: new), gap < Self.silenceSeconds
      {
        continue
      }
      values[quantity] = new
    }
  }

  /// The current values of a live source.
  ///
  /// - Parameter now: The present reading of the clock.
  /// - Returns: A reading for each receiver, by name, as old as its oldest value.
  public func sensors(now: MonotonicTime) -> [SensorReading] {
    sensors(now: now) { value in value.receivedAt.map { now.seconds(since: $0) } }
  }

  /// The values of a recording that were current at a moment of it.
  ///
  /// - Parameters:
  ///   - time: The recorded time.
  ///   - now: The present reading of the clock, from which ages are counted back.
  /// - Returns: A reading for each receiver, by name, as old as its oldest value was then.
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

/// The weather that instruments on receivers' wires have measured so far.
public struct InstrumentEvent: PipelineEvent, Equatable {
  /// The newest value of each quantity: the newest event stands for all before it.
  public var readings: InstrumentReadings

  /// Makes an event.
  ///
  /// - Parameter readings: The newest value of each quantity.
  public init(_ readings: InstrumentReadings) { self.readings = readings }
}
