// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// State machine of a simulated manager: requests and recorded events in, events out.
///
/// The machine answers at once; otherwise it behaves like `LocationManager`.
struct SceneMachine: Sendable {
  typealias Event = LocationClient.DelegateEvent

  enum Service: Hashable, Sendable { case updates, significantChanges, visits, heading }

  private(set) var status: AuthorizationStatus
  private(set) var accuracy = AccuracyAuthorization.fullAccuracy
  /// Whether location services are enabled for the whole board.
  private(set) var areServicesEnabled = true
  private(set) var location: Location?
  private(set) var heading: Heading?
  private(set) var regions: [CircularRegion] = []
  /// The position of the board, whether or not the program may read it.
  private var place: Location?
  /// The location that is delivered instead of `place` while accuracy is reduced.
  private var reducedPlace: Location?
  /// Whether locations are replayed, instead of `place` being delivered at once.
  private let isRecorded: Bool
  /// Whether the recording has ended.
  private var isFinished = false
  /// Whether requests for authorization and full accuracy are granted; otherwise they are refused.
  private let grants: Bool
  private var isFullAccuracyDenied = false
  private var started: Set<Service> = []
  private var isLocationRequested = false

  /// Simulates a stationary board; `place` is `nil` if its position is unknown.
  init(_ status: AuthorizationStatus, at place: Location?, grants: Bool) {
    (self.status, self.place, self.grants, isRecorded) = (status, place, grants, false)
  }

  /// Simulates a stationary board whose position the program may read with reduced accuracy.
  init(at place: Location?, reducedTo reducedPlace: Location?, grants: Bool) {
    self.init(.authorizedWhenInUse, at: place, grants: grants)
    (self.reducedPlace, accuracy) = (reducedPlace, .reducedAccuracy)
  }

  /// Simulates a board whose location services are switched off.
  static var withoutServices: SceneMachine {
    var machine = SceneMachine(.denied, at: nil, grants: false)
    machine.areServicesEnabled = false
    return machine
  }

  /// Simulates a board whose events are replayed.
  init(recordedWith status: AuthorizationStatus, grants: Bool) {
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

  /// Answers a request for full accuracy with an error, or with `nil` and the events of the grant.
  mutating func requestFullAccuracy() -> (refusal: LocationError?, events: [Event]) {
    guard status.isAuthorized else { return (.denied, []) }
    guard isReduced, grants else {
      isFullAccuracyDenied = isReduced
      return (.promptDeclined, [])
    }
    accuracy = .fullAccuracy
    return (nil, [.didChangeAuthorization(status)] + (wantsLocations ? deliverPlace() : []))
  }

  private var isReduced: Bool { status.isAuthorized && accuracy == .reducedAccuracy }

  var diagnostics: LocationDiagnostics {
    var reasons = LocationDiagnostics(status)
    if !areServicesEnabled { reasons.insert(.authorizationDeniedGlobally) }
    if isReduced { reasons.insert(.accuracyLimited) }
    if isReduced, isFullAccuracyDenied { reasons.insert(.fullAccuracyDenied) }
    return reasons
  }

  private mutating func change(to new: AuthorizationStatus) -> [Event] {
    guard new != status else { return [] }
    let old = status
    status = new
    if !new.isAuthorized { (location, heading) = (nil, nil) }
    var events = [Event.didChangeAuthorization(new)]
    if new.isRefused {
      // A withdrawal causes one error in total, a refusal one error for each waiting service.
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
    guard let delivered = isReduced ? reducedPlace : place else {
      return [.didFailWithError(.locationUnknown)]
    }
    location = delivered
    return [.didUpdateLocations([delivered])]
  }

  // MARK: Regions

  /// Whether the authorization permits region monitoring, which requires full accuracy.
  var isRegionMonitoringAvailable: Bool { !status.isRefused && !isReduced }

  mutating func startMonitoring(_ region: CircularRegion) -> [Event] {
    guard isRegionMonitoringAvailable else {
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
    guard status.isAuthorized, !isReduced, let place, isMonitored(region) else {
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
    case .didChangeAuthorization, .didDropEvents: true
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
