// SPDX-License-Identifier: Apache-2.0

package import Pipeline
package import Positioning
package import WeatherClient
package import WeatherFeature

/// Sample values; a test passes or sets each value that it checks.
package enum Samples {
  /// Returns a satellite with only the given values.
  package static func satellite(
    _ number: UInt8, of system: SatelliteID.System = .gps, signalDBHz: Double? = nil, isUsed: Bool = false,
    elevation: Double? = nil, azimuth: Double? = nil
  ) -> Satellite {
    var satellite = Satellite(id: SatelliteID(system: system, number: number), rawNumber: UInt16(number))
    (satellite.signalToNoiseDBHz, satellite.isUsed) = (signalDBHz, isUsed)
    (satellite.elevationDegrees, satellite.azimuthDegrees) = (elevation, azimuth)
    return satellite
  }

  /// Returns a provider's forecast with only the values that `change` sets.
  package static func report(
    _ provider: String = "openmeteo", at place: Coordinate = .at(51.5, 0),
    _ change: (inout WeatherReport) -> Void = { _ in }
  ) -> WeatherReport {
    var report = WeatherReport(coordinate: place, provider: provider, kind: .forecast)
    change(&report)
    return report
  }

  /// Returns hours with temperatures of 0 degrees, 1 degree, and so on.
  package static func hours(
    _ count: Int = 100, from start: UTCTime, _ change: (inout HourWeather) -> Void = { _ in }
  ) -> [HourWeather] {
    (0..<count).map { index in
      var hour = HourWeather(time: UTCTime(secondsSince1970: start.secondsSince1970 + Int64(index) * 3600))
      hour.weather.temperatureDegreesCelsius = Double(index)
      change(&hour)
      return hour
    }
  }

  /// Returns a location with the weather of a report, as the weather stage delivers it.
  package static func enriched(
    _ report: WeatherReport, at location: Location = .at(51.5), in place: Place? = nil
  ) -> EnrichedEvent {
    var value = EnrichedLocation(location)
    value.add(WeatherEnrichment(report))
    if let place { value.add(PlaceEnrichment(place)) }
    return EnrichedEvent(value)
  }

  /// Returns the resolver's result for a report of the given age, at a distance to the north.
  package static func outlook(
    agedSeconds: Int64, degreesNorth: Double = 0, at time: UTCTime = .noon,
    _ change: (inout WeatherReport) -> Void = { _ in }
  ) -> WeatherOutlook {
    let valid = UTCTime(secondsSince1970: time.secondsSince1970 - agedSeconds)
    let report = report {
      ($0.validAt, $0.hours) = (valid, hours(from: valid))
      change(&$0)
    }
    var outlook = WeatherOutlook(coordinate: .at(51.5 + degreesNorth, 0))
    (outlook.time, outlook.report, outlook.days) = (time, report, report.days)
    var input = ResolverInput(now: .at(0))
    (input.time, input.coordinate, input.report) = (time, outlook.coordinate, report)
    input.forecast = StoredForecast(report, receivedAt: valid)
    outlook.resolved = WeatherResolver().answer(input)
    return outlook
  }
}
