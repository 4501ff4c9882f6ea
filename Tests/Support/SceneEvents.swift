// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import PathMonitorClient
package import Pipeline
package import Positioning
internal import WeatherClient
package import WeatherFeature

/// Sample events of a pipeline at given times in seconds.
package enum SceneEvents {
  /// Returns a reading of the monotonic clock.
  package static func time(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  /// Returns a location with typical values of a receiver.
  package static func location(at seconds: Double, source: String = "/dev/ttyACM0") -> LocationEvent {
    var location = Location(coordinate: .at(51.50735, -0.12776))
    location.mode = .threeDimensional
    location.time = UTCTime(secondsSince1970: 1_248_432_426)
    location.altitudeMetersAboveSeaLevel = 35.2
    location.speedMetersPerSecond = 4.25
    location.courseDegreesTrue = 294
    location.horizontalAccuracy = Accuracy(meters: 2.5, confidencePercent: 95, basis: .receiver)
    location.satellitesUsed = 9
    location.source = source
    location.receivedAt = time(seconds)
    return LocationEvent(location)
  }

  /// Returns an epoch without a position.
  package static func noFix(at seconds: Double) -> NoFixEvent {
    var fix = Fix(mode: .none)
    fix.source = "/dev/ttyACM0"
    fix.receivedAt = time(seconds)
    return NoFixEvent(fix)
  }

  /// Returns a sky with one GPS satellite for each signal strength; satellites above 30 dBHz are
  /// used.
  package static func sky(at seconds: Double, signals: [Double]) -> SkyEvent {
    var sky = SkyView()
    sky.satellites = signals.enumerated().map { index, signal in
      let number = UInt8(index + 1)
      var satellite = Satellite(id: SatelliteID(system: .gps, number: number), rawNumber: 0)
      satellite.signalToNoiseDBHz = signal
      satellite.isUsed = signal > 30
      return satellite
    }
    sky.dilution.horizontal = 0.8
    sky.receivedAt = time(seconds)
    return SkyEvent(sky, device: "/dev/ttyACM0")
  }

  /// Returns a location with a weather report of a provider.
  package static func weather(at seconds: Double, place title: String? = "London") -> EnrichedEvent {
    var report = WeatherReport(coordinate: .at(51.5, -0.12), provider: "openmeteo", kind: .forecast)
    report.now.temperatureDegreesCelsius = 11.4
    report.now.condition = .lightRain
    report.now.windSpeedMetersPerSecond = 5.1
    report.now.windDirectionDegreesTrue = 240
    report.attribution = "Weather data by Open-Meteo.com, CC BY 4.0"
    report.validAt = UTCTime(secondsSince1970: 1_248_432_000)
    report.receivedAt = time(seconds)
    var value = EnrichedLocation(location(at: seconds).location)
    value.add(WeatherEnrichment(report))
    if let title {
      value.add(PlaceEnrichment(Place(id: 1, title: title, coordinate: .at(51.5, -0.13))))
    }
    return EnrichedEvent(value)
  }

  /// Returns a path over one cable; the path is satisfied if the reason is `nil`.
  package static func path(
    _ reason: NetworkPath.Reason? = nil, verified: NetworkPath.Verification? = nil
  ) -> PathEvent {
    var path = NetworkPath(status: reason == nil ? .satisfied : .unsatisfied, reason: reason)
    path.verified = verified
    path.interfaces = [.init(name: "eth0", kind: .wired)]
    return PathEvent(path)
  }
}
