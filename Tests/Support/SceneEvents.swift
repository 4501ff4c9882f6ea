// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
package import PathMonitorClient
package import Pipeline
import Positioning
internal import WeatherClient
package import WeatherFeature

/// Sample events of a pipeline at given times in seconds.
package enum SceneEvents {
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
    location.receivedAt = .at(seconds)
    return LocationEvent(location)
  }

  /// Returns an epoch without a position.
  package static func noFix(at seconds: Double) -> NoFixEvent {
    var fix = Fix(mode: .none)
    fix.source = "/dev/ttyACM0"
    fix.receivedAt = .at(seconds)
    return NoFixEvent(fix)
  }

  /// Returns a sky with one GPS satellite for each signal strength; satellites above 30 dBHz are
  /// used.
  package static func sky(at seconds: Double, signals: [Double]) -> SkyEvent {
    var sky = SkyView()
    sky.satellites = signals.enumerated().map { index, signal in
      Samples.satellite(UInt8(index + 1), signalDBHz: signal, isUsed: signal > 30)
    }
    sky.dilution.horizontal = 0.8
    sky.receivedAt = .at(seconds)
    return SkyEvent(sky, device: "/dev/ttyACM0")
  }

  /// Returns a location with a weather report of a provider.
  package static func weather(at seconds: Double, place title: String? = "London") -> EnrichedEvent {
    let report = Samples.report(at: .at(51.5, -0.12)) {
      $0.now.temperatureDegreesCelsius = 11.4
      $0.now.condition = .lightRain
      $0.now.windSpeedMetersPerSecond = 5.1
      $0.now.windDirectionDegreesTrue = 240
      $0.attribution = "Weather data by Open-Meteo.com, CC BY 4.0"
      $0.validAt = UTCTime(secondsSince1970: 1_248_432_000)
      $0.receivedAt = .at(seconds)
    }
    let place = title.map { Place(id: 1, title: $0, coordinate: .at(51.5, -0.13)) }
    return Samples.enriched(report, at: location(at: seconds).location, in: place)
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
