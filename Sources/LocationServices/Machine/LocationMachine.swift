// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// State machine of a location manager: events in, actions out.
///
/// A machine has no clock, thread or delegate; `LocationManager` provides them. Separate values
/// decide how each service handles a location. This type decides which services may deliver.
struct LocationMachine: Sendable {
  /// The settings of the program.
  struct Settings: Equatable, Sendable {
    var desiredAccuracy = DesiredAccuracy.best
    /// The minimum distance in metres between two updates; `nil` disables the filter.
    var distanceFilter: Double?
    /// The minimum change in degrees between two headings; `nil` disables the filter.
    var headingFilter: Double? = 1
    var pausesAutomatically = false
  }

  /// The reception; `noFix` means a receiver without a fix.
  enum Reception: Equatable, Sendable { case noReceiver, noFix, fix }

  /// The maximum number of pending full-accuracy requests; further ones are refused.
  static let maxFullAccuracyRequests = 16

  let purpose: String
  var authorization: AuthorizationState
  var settings = Settings()
  /// The services that were started and not stopped, whether or not they may deliver now.
  var started: Set<LocationServiceKind> = []
  var oneShot: OneShot?
  var oneShotCount: UInt64 = 0
  var fullAccuracyCount: UInt64 = 0
  /// The callers' identifiers of the pending full-accuracy requests, by request number.
  var askingFullAccuracy: [UInt64: UInt64] = [:]
  /// The numbers of requests that a decision has answered before their own answer has arrived.
  var settledFullAccuracy: Set<UInt64> = []
  var locationCounts: [LocationServiceKind: UInt64] = [:]
  /// Services that have not delivered a location since they were started or allowed to resume.
  ///
  /// With reduced accuracy, these services get the last location and need not wait for the next.
  var servicesWithoutDelivery: Set<LocationServiceKind> = []
  var listenersLackDelivery = false
  var listenerCount = 0
  /// The number of listeners that receive diagnostics only.
  var reasonListenerCount = 0
  var isPaused = false
  var reception = Reception.noReceiver
  /// Whether the source delivers locations only while a service is started.
  var isServedOnDemand = false
  /// Whether locations have been requested and the source has not reported anything yet.
  var isAwaitingFirstReport = false
  var satellitesInView: Int?

  var outage = OutageTracker()
  var distanceFilter = DistanceFilter()
  var headingFilter = HeadingFilter()
  var significantChange = SignificantChange()
  var stationary = StationaryDetector()
  /// Detects that the board rests after updates were started, so that updates can be paused.
  var restWhileUpdating = StationaryDetector()
  var visits = VisitDetector()
  var regions = RegionMonitor()
  var reducedAccuracy = ReducedAccuracy()
  var trackClock = TrackClock()
  var reducedReception = ReducedReception()
  /// The diagnostics last reported to listeners.
  var lastReportedDiagnostics: LocationDiagnostics = []

  init(_ authorization: AuthorizationState, purpose: String) {
    self.authorization = authorization
    self.purpose = purpose
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    let wasInUse = isInUse
    var actions = decide(event, at: now)
    if isServedOnDemand, isInUse != wasInUse {
      if isInUse { actions.append(awaitFirstReport()) } else { isAwaitingFirstReport = false }
    }
    let diagnostics = diagnostics
    if listenerCount + reasonListenerCount > 0, diagnostics != lastReportedDiagnostics {
      lastReportedDiagnostics = diagnostics
      if !actions.contains(where: \.isUpdate) { actions.append(.update(update(nil))) }
    }
    return actions
  }

  private mutating func decide(_ event: Event, at now: MonotonicTime) -> [Action] {
    switch event {
    case .attached: [.call(.didChangeAuthorization(authorization.effective))]
    case .requestAuthorization(let request): ask(request)
    case .answered(let number, let answer): change { $0.answer(number, answer) }
    case .policy(let update): take(update)
    case .requestFullAccuracy(let id, let key): askFullAccuracy(id, key: key)
    case .answeredFullAccuracy(let number, let id, let answer):
      answerFullAccuracy(number, id, answer)
    case .activityBegan(let reason): [.note(.activityBegan(reason: reason))]
    case .activityEnded: [.note(.activityEnded)]
    case .disconnected: disconnect()
    case .set(let settings): set(settings)
    case .start(let service): start(service) + redeliverLast(at: now)
    case .stop(let service): stop(service)
    case .requestLocation: requestOnce() + redeliverLast(at: now)
    case .startMonitoring(let region): startMonitoring(region)
    case .stopMonitoring(let identifier): stopMonitoring(identifier)
    case .requestState(let region): reportState(of: region)
    case .location(let location): take(location, at: now)
    case .noPosition(let fix): take(withoutPosition: fix, at: now)
    case .positionLost: losePosition(.noReceiver, at: now)
    case .receiverFound: findReceiver(at: now)
    case .sky(let count): updateSatellites(count)
    case .heading(let heading): take(heading)
    case .listenersChanged(let count, let reasons): setListeners(count, reasons: reasons)
    case .timedOut(.oneShot(let number)): timeOut(number)
    case .timedOut(.fullAccuracy(let number)): change { $0.endLease(number) }
    case .timedOut(.reducedReception): endReceptionWait(at: now)
    case .timedOut(.reception): endFirstReportWait(at: now)
    }
  }

  /// The reasons why no location, or a less precise one, is delivered.
  var diagnostics: LocationDiagnostics {
    var reasons = authorization.diagnostics
    guard authorization.mayDeliver else { return reasons }
    if stationary.isStationary, !authorization.isReduced { reasons.insert(.stationary) }
    guard isReceptionKnown else { return reasons }
    switch authorization.isReduced ? reducedReception.reported : reception {
    case .noReceiver: reasons.formUnion([.locationUnavailable, .noReceiver])
    case .noFix: reasons.formUnion([.locationUnavailable, .noFix])
    case .fix: break
    }
    return reasons
  }

  func update(_ location: Location?) -> LocationUpdate {
    let mayKnowSky = authorization.mayDeliver && !authorization.isReduced
    return LocationUpdate(
      location: location, diagnostics: diagnostics,
      satellitesInView: mayKnowSky ? satellitesInView : nil)
  }

  /// Returns the first update of a new listener.
  ///
  /// The update holds the diagnostics and, with reduced accuracy, the last location until another
  /// one is due.
  func firstUpdate(isForLocations: Bool, at now: MonotonicTime) -> LocationUpdate {
    let mayKnow = isForLocations && authorization.mayDeliver && authorization.isReduced
    return update(mayKnow ? reducedAccuracy.current(at: now) : nil)
  }

  private mutating func setListeners(_ count: Int, reasons: Int) -> [Action] {
    if listenerCount + reasonListenerCount == 0 { lastReportedDiagnostics = diagnostics }
    let hasListeners = (before: listenerCount > 0, now: count > 0)
    (listenerCount, reasonListenerCount) = (count, reasons)
    switch hasListeners {
    case (false, true):
      locationCounts[.liveUpdates] = 0
      return [.note(.started(.liveUpdates))]
    case (true, false): return [noteStop(.liveUpdates)]
    default: return []
    }
  }

  private mutating func set(_ new: Settings) -> [Action] {
    if new.distanceFilter != settings.distanceFilter {
      distanceFilter = DistanceFilter(meters: new.distanceFilter)
    }
    if new.headingFilter != settings.headingFilter {
      headingFilter = HeadingFilter(degrees: new.headingFilter)
    }
    settings = new
    return []
  }
}

extension LocationMachine {
  enum Event: Equatable, Sendable {
    /// A delegate was set.
    case attached
    case requestAuthorization(AuthorizationRequest)
    /// The policy answered the request with this number.
    case answered(UInt64, AuthorizationAnswer)
    /// The policy sent an update by itself, or a late answer.
    case policy(AuthorizationUpdate)
    /// A full-accuracy request; `id` identifies the completion of the caller.
    case requestFullAccuracy(id: UInt64, key: String)
    case answeredFullAccuracy(number: UInt64, id: UInt64, FullAccuracyAnswer)
    case activityBegan(reason: String)
    case activityEnded
    /// The program has ended or has released its manager.
    case disconnected
    case set(Settings)
    /// Start a service other than `oneShot`, `regions` and `liveUpdates`, which have other events.
    case start(LocationServiceKind)
    case stop(LocationServiceKind)
    case requestLocation
    case startMonitoring(CircularRegion)
    case stopMonitoring(String)
    case requestState(CircularRegion)
    case location(Location)
    /// The receiver works but has no position.
    case noPosition(Fix)
    /// The source failed.
    case positionLost
    /// A receiver was found; it has not reported a fix yet.
    case receiverFound
    /// The number of satellites in view.
    case sky(Int)
    case heading(Heading)
    /// The numbers of listeners to live updates and of listeners that receive diagnostics only.
    case listenersChanged(Int, reasons: Int = 0)
    case timedOut(Timer)
  }

  /// The timers of the machine.
  enum Timer: Hashable, Sendable {
    /// Timeout of the one-shot request with this number.
    case oneShot(UInt64)
    /// End of the temporary full accuracy granted to the request with this number.
    case fullAccuracy(UInt64)
    /// End of the delay before a changed reception is reported to a client with reduced accuracy.
    case reducedReception
    /// Time limit for the first report of the source after locations were requested.
    case reception
  }

  enum Action: Equatable, Sendable {
    case call(LocationCallback)
    case ask(AuthorizationRequest, purpose: String, number: UInt64)
    case askFullAccuracy(key: String, number: UInt64, id: UInt64)
    /// Send ``Event/timedOut(_:)`` after the duration; `nil` means the manager's request timeout.
    case startTimer(Timer, Duration?)
    /// Drop queued locations.
    case dropLocations
    /// Drop all queued callbacks that reveal a position.
    case dropPositionData
    /// Send the update to the listeners.
    case update(LocationUpdate)
    /// Pass the service use to the policy.
    case note(ServiceUse)
    /// Store the monitoring state, which has changed.
    case monitoringChanged

    var isUpdate: Bool { if case .update = self { true } else { false } }

    /// The service use to pass to the policy; `nil` for other actions.
    var use: ServiceUse? { if case .note(let use) = self { use } else { nil } }
  }
}
