// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Asking for authorization and for locations.
extension LocationManager {
  /// Asks to know where the board is while the program is in use.
  ///
  /// As in Core Location it acts only while undetermined, and only where the manager has a purpose;
  /// otherwise it does nothing. The answer may take as long as an operator does; a second request
  /// meanwhile is no second question.
  public func requestWhenInUseAuthorization() { handle(.requestAuthorization(.whenInUse)) }

  /// Asks to know at any time.
  ///
  /// As in Core Location it acts while undetermined, and once when granted "in use"; a refused
  /// upgrade leaves that grant and calls nobody, which ``diagnostics`` tells. Differs in that
  /// nothing is granted provisionally, to be asked for later: the status changes when somebody has
  /// decided.
  public func requestAlwaysAuthorization() { handle(.requestAuthorization(.always)) }

  /// Asks for full accuracy for a while, by a program of reduced accuracy.
  ///
  /// As in Core Location the completion comes before the delegate hears of the change. Differs in
  /// that whoever grants it says for how long, since no policy sees whether a person still looks
  /// on. Full accuracy ends when its time is over, when the policy says so, when the grant is
  /// withdrawn, and with the manager. Sixteen requests wait for an answer at most; one beyond is
  /// refused.
  ///
  /// - Parameters:
  ///   - purposeKey: What for, by a name that the policy knows.
  ///   - completion: Called once, where callbacks run, also where the manager goes meanwhile: without
  ///     an error where accuracy is full now; with `LocationError.promptDeclined` where it was
  ///     refused, was full already or the purpose is unknown; with `LocationError.denied` where
  ///     nothing is granted. Where nothing can be called for so long that callbacks are dropped,
  ///     the oldest answers are the last to go, and are counted in ``droppedCallbackCount``.
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: @escaping @Sendable (LocationError?) -> Void = { _ in }
  ) {
    let id = state.withLock { state in
      state.completionCount &+= 1
      state.completions[state.completionCount] = completion
      return state.completionCount
    }
    handle(.requestFullAccuracy(id: id, key: purposeKey))
  }

  /// Declares that the program is in use until the end is declared: an activity lease.
  ///
  /// What Core Location's `CLBackgroundActivitySession` is. Differs in that it is a pair of calls
  /// with a reason, which the policy is told: a log stands in for the indicator on a screen. Each
  /// beginning wants an end of its own.
  ///
  /// - Parameter reason: What the program does, in words for a log.
  public func beginActivity(reason: String) { handle(.activityBegan(reason: reason)) }

  /// Ends an activity that was begun.
  ///
  /// Core Location's is `invalidate()` of a background activity session. Differs in that the
  /// manager counts: the program is in use until as many have ended as have begun.
  public func endActivity() { handle(.activityEnded) }

  /// Starts continuous updates.
  ///
  /// As in Core Location a pending one-shot request is cancelled silently, and while refused the
  /// delegate is told once that they are. Differs in that what happens while undetermined is said:
  /// they begin with the grant.
  public func startUpdatingLocation() { handle(.start(.updates)) }

  /// Ends updates and a pending one-shot request, without a callback.
  ///
  /// As in Core Location. Differs in that locations which wait to be delivered are dropped: who has
  /// said stop is not called again.
  public func stopUpdatingLocation() { handle(.stop(.updates)) }

  /// Asks for one location: exactly one answer, a location or an error.
  ///
  /// As in Core Location the first location within ``desiredAccuracy`` is the answer; when the time
  /// is over it is the most precise so far, and only without any `LocationError.locationUnknown`.
  /// It does nothing while a request is pending or updates run, but for such as pause, and a start
  /// or a stop of updates cancels it. Differs in that the manager's `requestTimeout` says how long
  /// it takes, and in what comes while undetermined, where Core Location says nothing: it never
  /// asks for authorization, and while nobody was asked for it either, the answer in the end is
  /// `LocationError.denied`. Under reduced accuracy it may be the location told last: a program
  /// cannot have more by asking often.
  public func requestLocation() { handle(.requestLocation) }

  /// Starts to tell of changes of at least 500 m, at most every five minutes.
  ///
  /// As in Core Location ``desiredAccuracy`` and ``distanceFilter`` do not bear on them. Differs in
  /// that the first one is the next location, and never an old one; after a restart the next is
  /// measured from the last, where there is a ``MonitoringFile``.
  public func startMonitoringSignificantLocationChanges() { handle(.start(.significantChanges)) }

  /// Ends to tell of significant changes.
  ///
  /// As in Core Location there is no callback. The next start begins anew.
  public func stopMonitoringSignificantLocationChanges() { handle(.stop(.significantChanges)) }

  /// Starts to tell of stays of five minutes and more within a hundred metres.
  ///
  /// Core Location does not say what makes a visit. Differs in that it is said, and that it takes
  /// full accuracy.
  public func startMonitoringVisits() { handle(.start(.visits)) }

  /// Ends to tell of visits.
  ///
  /// As in Core Location there is no callback. Differs in that the visit that goes on is kept,
  /// where there is a storage, and its end told once it is started again.
  public func stopMonitoringVisits() { handle(.stop(.visits)) }

  /// Starts to tell where the bow points, where a receiver knows.
  ///
  /// Core Location gives magnetic headings to anybody. Differs in that it takes full accuracy,
  /// since it tells of motion.
  public func startUpdatingHeading() { handle(.start(.heading)) }

  /// Ends to tell of the heading.
  ///
  /// As in Core Location there is no callback.
  public func stopUpdatingHeading() { handle(.stop(.heading)) }
}

/// Monitoring regions.
extension LocationManager {
  /// The regions that are monitored, those of an earlier run among them where there is a storage.
  ///
  /// Core Location's are a set that all managers of a program share, kept by its daemon. Differs in
  /// that they are this manager's, in the order of their beginning.
  public var monitoredRegions: [CircularRegion] { state.withLock { $0.machine.regions.regions } }

  /// Starts to monitor a region; at most 20.
  ///
  /// As in Core Location a region of the same identifier is replaced, and where the board is inside
  /// already, nothing is told until it has been outside. The delegate is told that it has begun, or
  /// that it cannot: a 21st region and one without a usable radius with
  /// `LocationError.regionMonitoringFailure`, any while refused or of reduced accuracy with
  /// `LocationError.regionMonitoringDenied`.
  ///
  /// Differs in how soon a crossing is told: Core Location takes minutes and about 200 m, to save
  /// power; here the board is inside when it has been within the radius for ten seconds, and
  /// outside when it has been beyond the radius and its own error for as long.
  public func startMonitoring(for region: CircularRegion) { handle(.startMonitoring(region)) }

  /// Ends to monitor the region of that identifier.
  ///
  /// As in Core Location there is no callback.
  public func stopMonitoring(for region: CircularRegion) {
    handle(.stopMonitoring(region.identifier))
  }

  /// Asks where the board is with regard to a monitored region, by what is known already.
  ///
  /// As in Core Location the answer comes to the delegate, out of what was known last.
  ///
  /// - Parameter region: The region; the answer is unknown for one that is not monitored.
  public func requestState(for region: CircularRegion) { handle(.requestState(region)) }
}
