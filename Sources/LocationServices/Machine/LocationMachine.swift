// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Decides what a location manager says and when: events in, actions out.
///
/// No clock, no thread, no delegate. `LocationManager` runs it. What each service makes of a
/// location is decided by a value of its own; this one knows which of them may.
struct LocationMachine: Sendable {
  /// What the program has set.
  struct Settings: Equatable, Sendable {
    var desiredAccuracy = DesiredAccuracy.best
    /// In metres; `nil` for none.
    var distanceFilter: Double?
    /// In degrees; `nil` for none.
    var headingFilter: Double? = 1
    var pausesAutomatically = false
  }

  /// What is known of whatever makes locations.
  enum Reception: Equatable, Sendable { case nothing, noFix, fix }

  /// Requests for full accuracy beyond are refused: each keeps somebody waiting.
  static let maxFullAccuracyRequests = 16

  let purpose: String
  var authorization: AuthorizationState
  var settings = Settings()
  /// The services that go on until they are stopped, whether they may deliver now or not.
  var started: Set<LocationServiceKind> = []
  var oneShot: OneShot?
  var oneShotCount: UInt64 = 0
  var fullAccuracyCount: UInt64 = 0
  /// Requests for full accuracy that nobody has answered.
  ///
  /// By the machine's number, the caller's.
  var askingFullAccuracy: [UInt64: UInt64] = [:]
  /// Requests that were answered by a decision, and whose own answer comes late.
  var settledFullAccuracy: Set<UInt64> = []
  var locationCounts: [LocationServiceKind: UInt64] = [:]
  /// Who has been told no location since it began or was allowed to go on.
  ///
  /// With reduced accuracy these are told the last location again, instead of nothing until the
  /// next is due.
  var untold: Set<LocationServiceKind> = []
  var areListenersUntold = false
  var listenerCount = 0
  /// Of those who want no location, but to know why there is none.
  var reasonListenerCount = 0
  var isPaused = false
  var reception = Reception.nothing
  /// Whether whoever serves the locations does so only while something is started.
  var isServedOnDemand = false
  /// Whether they have been asked for and nothing is known yet of what makes them.
  var isReceptionOpen = false
  var satellitesInView: Int?

  var outage = OutageTracker()
  var distanceFilter = DistanceFilter()
  var headingFilter = HeadingFilter()
  var significantChange = SignificantChange()
  var stationary = StationaryDetector()
  /// The same since updates began, for which they pause.
  var restWhileUpdating = StationaryDetector()
  var visits = VisitDetector()
  var regions = RegionMonitor()
  var reducedAccuracy = ReducedAccuracy()
  var trackClock = TrackClock()
  var reducedReception = ReducedReception()
  /// The reasons that listeners were told last.
  var lastReportedDiagnostics: LocationDiagnostics = []

  init(_ authorization: AuthorizationState, purpose: String) {
    self.authorization = authorization
    self.purpose = purpose
  }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    let wasInUse = isInUse
    var actions = decide(event, at: now)
    if isServedOnDemand, isInUse != wasInUse {
      if isInUse { actions.append(openReception()) } else { isReceptionOpen = false }
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
    case .start(let service): start(service) + tellAgain(at: now)
    case .stop(let service): stop(service)
    case .requestLocation: requestOnce() + tellAgain(at: now)
    case .startMonitoring(let region): startMonitoring(region)
    case .stopMonitoring(let identifier): stopMonitoring(identifier)
    case .requestState(let region): tellState(of: region)
    case .location(let location): take(location, at: now)
    case .noPosition(let fix): take(withoutPosition: fix, at: now)
    case .positionLost: losePosition(.nothing, at: now)
    case .receiverFound: find(at: now)
    case .sky(let count): see(count)
    case .heading(let heading): take(heading)
    case .listenersChanged(let count, let reasons): setListeners(count, reasons: reasons)
    case .timedOut(.oneShot(let number)): timeOut(number)
    case .timedOut(.fullAccuracy(let number)): change { $0.endLease(number) }
    case .timedOut(.reducedReception): endReceptionWait(at: now)
    case .timedOut(.reception): closeReception(at: now)
    }
  }

  /// Why nothing comes, or less than was asked for.
  var diagnostics: LocationDiagnostics {
    var reasons = authorization.diagnostics
    guard authorization.mayDeliver else { return reasons }
    if stationary.isStationary, !authorization.isReduced { reasons.insert(.stationary) }
    guard isReceptionKnown else { return reasons }
    switch authorization.isReduced ? reducedReception.known : reception {
    case .nothing: reasons.formUnion([.locationUnavailable, .noReceiver])
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

  /// What one who begins to listen is told first: why nothing comes, and with reduced accuracy the
  /// location that the others were told last, as long as no other is due.
  func firstUpdate(isForLocations: Bool, at now: MonotonicTime) -> LocationUpdate {
    let mayKnow = isForLocations && authorization.mayDeliver && authorization.isReduced
    return update(mayKnow ? reducedAccuracy.current(at: now) : nil)
  }

  private mutating func setListeners(_ count: Int, reasons: Int) -> [Action] {
    if listenerCount + reasonListenerCount == 0 { lastReportedDiagnostics = diagnostics }
    let isUse = (before: listenerCount > 0, now: count > 0)
    (listenerCount, reasonListenerCount) = (count, reasons)
    switch isUse {
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
    /// The policy answered the request of that number.
    case answered(UInt64, AuthorizationAnswer)
    /// The policy spoke unasked: revoked, expired, locked, widened, or answered a pending request.
    case policy(AuthorizationUpdate)
    /// The caller waits for the answer under that identifier.
    case requestFullAccuracy(id: UInt64, key: String)
    case answeredFullAccuracy(number: UInt64, id: UInt64, FullAccuracyAnswer)
    case activityBegan(reason: String)
    case activityEnded
    /// The program is gone, or has given its manager up.
    case disconnected
    case set(Settings)
    /// Never `oneShot`, `regions` nor `liveUpdates`, which have events of their own.
    case start(LocationServiceKind)
    case stop(LocationServiceKind)
    case requestLocation
    case startMonitoring(CircularRegion)
    case stopMonitoring(String)
    case requestState(CircularRegion)
    case location(Location)
    /// The receiver lives and has no position.
    case noPosition(Fix)
    /// The source failed.
    case positionLost
    /// There is a receiver, of which no fix is known yet.
    case receiverFound
    /// So many satellites are in view.
    case sky(Int)
    case heading(Heading)
    /// So many listen to live updates, and so many to their reasons alone.
    case listenersChanged(Int, reasons: Int = 0)
    case timedOut(Timer)
  }

  /// What a time can be over for.
  enum Timer: Hashable, Sendable {
    /// The one-shot request of that number.
    case oneShot(UInt64)
    /// Full accuracy by the request of that number.
    case fullAccuracy(UInt64)
    /// A change of the reception, which a client of reduced accuracy hears of late.
    case reducedReception
    /// The first word of whoever was asked for locations.
    case reception
  }

  enum Action: Equatable, Sendable {
    case call(LocationCallback)
    case ask(AuthorizationRequest, purpose: String, number: UInt64)
    case askFullAccuracy(key: String, number: UInt64, id: UInt64)
    /// Send ``Event/timedOut(_:)`` when that time is over; `nil` for the manager's own time.
    case startTimer(Timer, Duration?)
    /// Locations that wait to be delivered must not be any more.
    case dropLocations
    /// Nor must anything else that tells where the board is.
    case dropKnowledge
    /// Give this to whoever listens.
    case update(LocationUpdate)
    /// Tell the policy.
    case note(ServiceUse)
    /// What is watched has changed, or where the board is with regard to it.
    case monitoringChanged

    var isUpdate: Bool { if case .update = self { true } else { false } }

    /// What the policy is told; `nil` for what is no use.
    var use: ServiceUse? { if case .note(let use) = self { use } else { nil } }
  }
}
