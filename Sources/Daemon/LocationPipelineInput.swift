// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import Synchronization
internal import WeatherFeature

/// Submits a location manager's locations and errors to a pipeline, and requests authorization.
final class LocationPipelineInput: LocationManagerDelegate {
  private let pipeline: LocationPipeline
  /// The request that is made whenever the authorization is not determined: at the start and after
  /// a grant has expired.
  private let request: AuthorizationRequest
  /// The authorization that was last submitted to the pipeline.
  private let lastAuthorization = Mutex<Authorization?>(nil)
  /// The latest readings of the instruments that share a serial line with a receiver.
  private let instruments = Mutex(InstrumentReadings())

  init(_ pipeline: LocationPipeline, request: AuthorizationRequest = .always) {
    self.pipeline = pipeline
    self.request = request
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    let authorization = Authorization(
      manager.authorizationStatus, accuracy: manager.accuracyAuthorization)
    lastAuthorization.withLock { lastAuthorization in
      lastAuthorization = authorization
      pipeline.submit(AuthorizationEvent(authorization))
    }
    guard authorization.status == .notDetermined else { return }
    switch request {
    case .whenInUse: manager.requestWhenInUseAuthorization()
    case .always: manager.requestAlwaysAuthorization()
    }
  }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    for location in locations { pipeline.submit(location) }
  }

  func locationManager(_ manager: LocationManager, didReceiveFixWithoutPosition fix: Fix) {
    pipeline.submit(NoFixEvent(fix))
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    // A missing position is normal for a receiver, and `NoFixEvent` already reports it.
    if error != .locationUnknown {
      pipeline.submit(ErrorEvent(source: "location", message: "\(error)"))
    }
  }

  /// Submits an outlook, unless the authorization has changed since the outlook was requested.
  ///
  /// - Parameters:
  ///   - event: The outlook.
  ///   - authorization: The authorization at the time of the request; `nil` if it was unknown.
  func submit(_ event: OutlookEvent, under authorization: Authorization?) {
    lastAuthorization.withLock { last in
      let isCurrent = last.map { $0.status.isAuthorized && $0 == authorization ?? $0 } ?? true
      if isCurrent { pipeline.submit(event) }
    }
  }

  /// Forwards an event of a source to the manager and, unless the event is a fix, to the pipeline.
  ///
  /// Satellites in view and instrument readings reveal where the board is. The pipeline gets these
  /// events only with full accuracy.
  func ingest(_ event: FixSourceEvent, into manager: LocationManager, device: String) {
    manager.ingest(event)
    switch event {
    case .fix, .sentences: break
    case .sky(let sky):
      if Self.allowsExactLocation(manager) {
        pipeline.submit(SkyEvent(sky, device: sky.source ?? device))
      }
    case .instruments(var reading):
      reading.source = reading.source ?? device
      // Submit the event while holding the lock, so that older readings cannot follow newer
      // readings.
      instruments.withLock { instruments in
        instruments.take(reading)
        if Self.allowsExactLocation(manager) { pipeline.submit(InstrumentEvent(instruments)) }
      }
    case .message(let message):
      pipeline.submit(SourceEvent.message(message, source: message.source ?? device))
    case .lost(let loss): pipeline.submit(SourceEvent.lost(loss, source: device))
    case .connected(let server): pipeline.submit(SourceEvent.connected(server))
    case .receiver(let receiver): pipeline.submit(SourceEvent.receiver(receiver))
    }
  }

  private static func allowsExactLocation(_ manager: LocationManager) -> Bool {
    manager.authorizationStatus.isAuthorized && manager.accuracyAuthorization == .fullAccuracy
  }
}
