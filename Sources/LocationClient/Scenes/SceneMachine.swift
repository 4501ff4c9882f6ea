// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// State machine of a simulated manager: requests and recorded events in, events out.
///
/// The machine answers at once; otherwise it behaves like `LocationManager`.
struct SceneMachine: Sendable {
  typealias Event = LocationClient.DelegateEvent

  enum Service: Hashable, Sendable { case updates, significantChanges, visits, heading }

  private(set) var status: AuthorizationStatus
  private(set) var location: Location?
  private(set) var heading: Heading?
  private(set) var regions: [CircularRegion] = []
  /// The position of the board, whether or not the program may read it.
  private var place: Location?
  /// Whether locations are replayed, instead of `place` being delivered at once.
  private let isRecorded: Bool
  /// Whether the recording has ended.
  private var isFinished = false
  private let grants: Bool
  private var started: Set<Service> = []
  private var isLocationRequested = false

  /// Simulates a stationary board; `place` is `nil` if its position is unknown.
  init(_ status: AuthorizationStatus, at place: Location?, grants: Bool) {
    (self.status, self.place, self.grants, isRecorded) = (status, place, grants, false)
  }

  /// Simulates a board whose events are replayed.
  init(played status: AuthorizationStatus, grants: Bool) {
    (self.status, self.grants, isRecorded) = (status, grants, true)
  }

  // MARK: Authorization

  mutating func request(_ wanted: AuthorizationStatus) -> [Event] {
    switch (status, wanted) {
    case (.notDetermined, _): change(to: grants ? wanted : .denied)
    // A refused upgrade causes no event.
    case (.authorizedWhenInUse, .authorizedAlways) where grants: change(to: wanted)
    default: []
    }
  }

  /// The error for full-accuracy requests, which always fail because accuracy is already full.
  var fullAccuracyRefusal: LocationError { status.isAuthorized ? .promptDeclined : .denied }

  private mutating func change(to new: AuthorizationStatus) -> [Event] {
    guard new != status else { return [] }
    let old = status
    status = new
    if !new.isAuthorized { (location, heading) = (nil, nil) }
    var events = [Event.didChangeAuthorization(new)]
    if new.isRefused {
      // A withdrawal causes one error for all services, a refusal one for each waiting service.
      let waiting = started.count + (isLocationRequested ? 1 : 0)
      let count = old.isAuthorized ? min(waiting, 1) : old.isRefused ? 0 : waiting
      events += Array(repeating: .didFailWithError(.denied), count: count)
      isLocationRequested = false
    } else if new.isAuthorized, !old.isAuthorized, wantsLocations {
      events += deliverPlace()
    }
    return events
  }

  // MARK: Services

  private var wantsLocations: Bool {
    isLocationRequested || !started.isDisjoint(with: [.updates, .significantChanges])
  }

  mutating func requestLocation() -> [Event] {
    if status.isRefused { return [.didFailWithError(.denied)] }
    // Running updates deliver locations anyway.
    guard !started.contains(.updates) else { return [] }
    isLocationRequested = true
    return status.isAuthorized ? deliverPlace() : []
  }

  mutating func start(_ service: Service) -> [Event] {
    started.insert(service)
    if status.isRefused { return [.didFailWithError(.denied)] }
    switch service {
    case .updates, .significantChanges: return status.isAuthorized ? deliverPlace() : []
    case .visits, .heading: return []
    }
  }

  mutating func stop(_ service: Service) {
    started.remove(service)
    if service == .updates { isLocationRequested = false }
  }

  private mutating func deliverPlace() -> [Event] {
    guard !isRecorded else { return failRequest() }
    isLocationRequested = false
    guard let place else { return [.didFailWithError(.locationUnknown)] }
    location = place
    return [.didUpdateLocations([place])]
  }

  // MARK: Regions

  mutating func startMonitoring(_ region: CircularRegion) -> [Event] {
    guard !status.isRefused else {
      return [.monitoringDidFail(region: region, error: .regionMonitoringDenied)]
    }
    let others = regions.filter { $0.identifier != region.identifier }
    guard region.radiusMeters > 0, region.radiusMeters <= CircularRegion.maximumRadiusMeters,
      others.count < CircularRegion.monitoringLimit
    else { return [.monitoringDidFail(region: region, error: .regionMonitoringFailure)] }
    regions = others + [region]
    return [.didStartMonitoring(region: region)]
  }

  mutating func stopMonitoring(_ region: CircularRegion) {
    regions.removeAll { $0.identifier == region.identifier }
  }

  func state(of region: CircularRegion) -> [Event] {
    guard status.isAuthorized, let place, isMonitored(region) else {
      return [.didDetermineState(.unknown, region: region)]
    }
    let isInside = region.contains(place.coordinate)
    return [.didDetermineState(isInside ? .inside : .outside, region: region)]
  }

  private func isMonitored(_ region: CircularRegion) -> Bool {
    regions.contains { $0.identifier == region.identifier }
  }

  // MARK: Replay

  /// Applies a recorded event, and delivers it only if the program requested and may receive it.
  mutating func play(_ event: Event) -> [Event] {
    if case .didChangeAuthorization(let new) = event { return change(to: new) }
    if case .didUpdateLocations(let locations) = event, let last = locations.last { place = last }
    guard status.isAuthorized, isWanted(event) else { return [] }
    switch event {
    case .didUpdateLocations(let locations):
      guard let last = locations.last else { break }
      location = last
      isLocationRequested = false
    case .didFailWithError: isLocationRequested = false
    case .didUpdateHeading(let new): heading = new
    case .didPauseLocationUpdates: started.remove(.updates)
    default: break
    }
    return [event]
  }

  /// Ends the recording.
  mutating func end() -> [Event] {
    isFinished = true
    return status.isAuthorized ? failRequest() : []
  }

  /// Fails a pending request for one location if the recording has ended.
  private mutating func failRequest() -> [Event] {
    guard isFinished, isLocationRequested else { return [] }
    isLocationRequested = false
    return [.didFailWithError(.locationUnknown)]
  }

  private func isWanted(_ event: Event) -> Bool {
    switch event {
    case .didChangeAuthorization: true
    case .didUpdateLocations, .didReceiveFixWithoutPosition, .didFailWithError: wantsLocations
    case .didUpdateHeading: started.contains(.heading)
    case .didVisit: started.contains(.visits)
    case .didEnterRegion(let region), .didExitRegion(let region),
      .didDetermineState(_, let region), .didStartMonitoring(let region),
      .monitoringDidFail(let region, _):
      isMonitored(region)
    case .didPauseLocationUpdates, .didResumeLocationUpdates: started.contains(.updates)
    }
  }
}
