// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Pipeline
internal import Positioning
internal import Synchronization
internal import WeatherFeature

/// Takes what a location manager delivers into a pipeline, and asks for what it needs.
final class LocationPipelineInput: LocationManagerDelegate {
  private let pipeline: LocationPipeline
  /// What is asked for where nobody has decided, as again after a grant is over.
  private let request: AuthorizationRequest
  /// What the pipeline was told last of what may be known.
  private let told = Mutex<Authorization?>(nil)
  /// Latest readings of the instruments on receivers' wires.
  private let instruments = Mutex(InstrumentReadings())

  init(_ pipeline: LocationPipeline, request: AuthorizationRequest = .always) {
    self.pipeline = pipeline
    self.request = request
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    let authorization = Authorization(
      manager.authorizationStatus, accuracy: manager.accuracyAuthorization)
    told.withLock { told in
      told = authorization
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
    // No position yet is a receiver's ordinary beginning, and none at present its ordinary life:
    // the fixes without one tell of it.
    if error != .locationUnknown {
      pipeline.submit(ErrorEvent(source: "location", message: "\(error)"))
    }
  }

  /// What was found out about where the board is, which may have taken a while: nothing that was
  /// known under another word comes behind the one that holds.
  ///
  /// - Parameters:
  ///   - event: What was found out.
  ///   - authorization: The word that it was known under; `nil` where none has come yet.
  func tell(_ event: OutlookEvent, under authorization: Authorization?) {
    told.withLock { told in
      let isCurrent = told.map { $0.status.isAuthorized && $0 == authorization ?? $0 } ?? true
      if isCurrent { pipeline.submit(event) }
    }
  }

  /// Passes an event of a source on: fixes to the manager, skies and readings of instruments to the
  /// pipeline where it may know the exact location, and the source's own state to the pipeline.
  ///
  /// The satellites in view and their elevations tell where the board is, and so does the weather.
  func ingest(_ event: FixSourceEvent, into manager: LocationManager, device: String) {
    manager.ingest(event)
    switch event {
    case .fix: break
    case .sky(let sky):
      if Self.allowsExactLocation(manager) {
        pipeline.submit(SkyEvent(sky, device: sky.source ?? device))
      }
    case .instruments(var reading):
      reading.source = reading.source ?? device
      // Under the lock, so that no older readings come behind newer ones.
      instruments.withLock { instruments in
        instruments.take(reading)
        if Self.allowsExactLocation(manager) { pipeline.submit(InstrumentEvent(instruments)) }
      }
    case .lost(let loss): pipeline.submit(SourceEvent.lost(loss, source: device))
    case .connected(let server): pipeline.submit(SourceEvent.connected(server))
    case .receiver(let receiver): pipeline.submit(SourceEvent.receiver(receiver))
    }
  }

  private static func allowsExactLocation(_ manager: LocationManager) -> Bool {
    manager.authorizationStatus.isAuthorized && manager.accuracyAuthorization == .fullAccuracy
  }
}
