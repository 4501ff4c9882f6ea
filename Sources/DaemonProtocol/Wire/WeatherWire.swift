// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import Positioning

/// The decoded part of a `WEATHER` object: the values from instruments on a receiver's serial line.
struct WeatherWire: Decodable {
  struct Measured: Decodable {
    var provider: String?
    var device: String?
    var age: Double?
    var simulated: Bool?
    var replayed: Bool?
    var temperature: Double?
    var humidity: Double?
    var pressure: Double?
    var windSpeed: Double?
    var windDirection: Double?
    var waterTemperature: Double?

    func reading(now: MonotonicTime?) -> InstrumentReading? {
      // Ignore providers such as `instruments+bme280`, which include the board's own indoor sensor.
      guard provider == "instruments", let device else { return nil }
      var reading = InstrumentReading(source: device)
      reading.receivedAt = FixWire.receptionTime(age, now)
      reading.isSimulated = simulated ?? false
      reading.isReplayed = replayed ?? false
      reading.airTemperatureDegreesCelsius = temperature
      reading.humidityPercent = humidity
      reading.pressureSeaLevelHectopascals = pressure
      reading.windSpeedMetersPerSecond = windSpeed
      reading.windDirectionDegreesTrue = windDirection
      reading.waterTemperatureDegreesCelsius = waterTemperature
      return reading.isEmpty ? nil : reading
    }
  }

  var kind: String?
  var measured: Measured?
}

extension DaemonEvent {
  /// Returns the reading of the instruments in a `WEATHER` object.
  ///
  /// - Parameter now: The current time of this process's clock; the arrival time is `now` minus the
  ///   age.
  /// - Returns: The reading; `nil` for other objects, and for weather that also contains values
  ///   from other sources.
  public func instruments(now: MonotonicTime?) -> InstrumentReading? {
    guard case .other("WEATHER", let json) = self else { return nil }
    let (decoder, data) = (JSONDecoder(), Data(json))
    guard let wire = try? decoder.decode(WeatherWire.self, from: data) else { return nil }
    guard wire.kind == "sensor" else { return wire.measured?.reading(now: now) }
    return (try? decoder.decode(WeatherWire.Measured.self, from: data))?.reading(now: now)
  }
}
