// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Requests for authorization and locations.
extension LocationManager {
  /// Requests permission to read locations while the program is in use.
  ///
  /// As in Core Location, acts only while the status is `notDetermined` and the manager has a
  /// purpose; otherwise does nothing. The answer may take as long as an operator needs. A second
  /// request while one is pending has no effect.
  public func requestWhenInUseAuthorization() { handle(.requestAuthorization(.whenInUse)) }

  /// Requests permission to read locations at any time.
  ///
  /// As in Core Location, acts while the status is `notDetermined`, and once more after "in use"
  /// was granted. A refused upgrade keeps that grant and makes no callback; ``diagnostics`` then
  /// contains `alwaysAuthorizationDenied`. Differs from Core Location: there is no provisional
  /// grant. The status changes when a rule or an operator decides.
  public func requestAlwaysAuthorization() { handle(.requestAuthorization(.always)) }

  /// Requests full accuracy for a limited time, for a program with reduced accuracy.
  ///
  /// As in Core Location, the completion runs before the delegate is notified of the change.
  /// Differs from Core Location: the grant has a duration, because the policy cannot detect whether
  /// a person is still watching. Full accuracy ends when the duration is over, when the policy ends
  /// the grant, when authorization is withdrawn, or when the manager is released. At most 16
  /// requests wait for an answer; further requests are refused.
  ///
  /// - Parameters:
  ///   - purposeKey: The key of a purpose that the policy defines.
  ///   - completion: Called once, in order with the callbacks, even if the manager is released
  ///     first. The error is `nil` if accuracy is now full; `LocationError.promptDeclined` if the
  ///     request was refused, accuracy was already full or the purpose is unknown;
  ///     `LocationError.denied` if the program is not authorized. If a blocked delegate overflows
  ///     the callback queue, completions are dropped last. A dropped completion is never called,
  ///     and is counted in ``droppedCallbackCount``.
  public func requestTemporaryFullAccuracyAuthorization(
    withPurposeKey purposeKey: String,
    completion: @escaping @Sendable (LocationError?) -> Void = { _ in }
  ) {
    let id = state.withLock { $0.deliveries.add(completion) }
    handle(.requestFullAccuracy(id: id, key: purposeKey))
  }

  /// Declares that the program is in use until ``endActivity()`` is called.
  ///
  /// Corresponds to Core Location's `CLBackgroundActivitySession`. Differs from Core Location: an
  /// activity is a pair of calls with a reason. The reason is passed to the policy and logged,
  /// since there is no screen to show an indicator on. Each call needs its own ``endActivity()``.
  ///
  /// - Parameter reason: A description of the activity for the log.
  public func beginActivity(reason: String) { handle(.activityBegan(reason: reason)) }

  /// Ends one activity that ``beginActivity(reason:)`` began.
  ///
  /// Corresponds to `invalidate()` of Core Location's background activity session. Differs from
  /// Core Location: activities are counted. The program is in use until every activity has ended.
  public func endActivity() { handle(.activityEnded) }

  /// Starts continuous updates.
  ///
  /// As in Core Location, cancels a pending one-shot request without a callback, and reports
  /// `LocationError.denied` once if authorization is refused. Differs from Core Location: the
  /// behaviour before a decision is specified. Updates begin with the grant.
  public func startUpdatingLocation() { handle(.start(.updates)) }

  /// Stops updates and cancels a pending one-shot request, without a callback.
  ///
  /// Differs from Core Location: queued locations are dropped, unless significant changes are also
  /// monitored.
  public func stopUpdatingLocation() { handle(.stop(.updates)) }

  /// Requests one location; the delegate receives exactly one location or error.
  ///
  /// As in Core Location, the answer is the first location within ``desiredAccuracy``. At the
  /// timeout, the answer is the most precise location so far, or `LocationError.locationUnknown` if
  /// there was no location. Does nothing while a request is pending or while updates run and are
  /// not paused. Starting or stopping updates cancels the request.
  ///
  /// Differs from Core Location: the `requestTimeout` of the manager sets the timeout, and the
  /// behaviour before a decision is specified. This method never requests authorization; if the
  /// program has not requested any, the answer at the timeout is `LocationError.denied`.
  /// Under reduced accuracy the answer may be the last delivered location, so that frequent
  /// requests reveal nothing more.
  public func requestLocation() { handle(.requestLocation) }

  /// Starts reporting movements of at least 500 m, at most once every five minutes.
  ///
  /// As in Core Location, ``desiredAccuracy`` and ``distanceFilter`` do not apply. Differs from
  /// Core Location: the first report is the next location, never a cached one. With a
  /// ``MonitoringFile``, the first report after a restart is measured from the last report before
  /// the restart.
  public func startMonitoringSignificantLocationChanges() { handle(.start(.significantChanges)) }

  /// Stops reporting significant changes.
  ///
  /// As in Core Location, there is no callback. After the next start, the first location is
  /// reported at once.
  public func stopMonitoringSignificantLocationChanges() { handle(.stop(.significantChanges)) }

  /// Starts reporting visits: stays of at least five minutes within 100 m.
  ///
  /// Core Location does not define a visit. Differs from Core Location: the definition is
  /// documented, and full accuracy is required.
  public func startMonitoringVisits() { handle(.start(.visits)) }

  /// Stops reporting visits.
  ///
  /// As in Core Location, there is no callback. Differs from Core Location: a visit in progress is
  /// kept, even across a restart if the manager has a storage. The end of the visit is reported
  /// after visits are started again.
  public func stopMonitoringVisits() { handle(.stop(.visits)) }

  /// Starts heading updates; requires a receiver that reports headings.
  ///
  /// Core Location gives magnetic headings to every program. Differs from Core Location: headings
  /// require full accuracy, because they reveal motion.
  public func startUpdatingHeading() { handle(.start(.heading)) }

  /// Stops heading updates.
  ///
  /// As in Core Location, there is no callback.
  public func stopUpdatingHeading() { handle(.stop(.heading)) }
}

/// Region monitoring.
extension LocationManager {
  /// The monitored regions, including those restored from the storage.
  ///
  /// In Core Location, a daemon keeps one set for all managers of a program. Differs from Core
  /// Location: the regions belong to this manager, in the order in which they were added.
  public var monitoredRegions: [CircularRegion] { state.withLock { $0.machine.monitoredRegions } }

  /// Starts monitoring a region; the limit is 20 regions.
  ///
  /// As in Core Location, a region with the same identifier is replaced, and a board that is
  /// already inside causes no event until it has been outside. The delegate is notified that
  /// monitoring has started or failed. The error is `LocationError.regionMonitoringFailure` for a
  /// 21st region or an invalid radius, and `LocationError.regionMonitoringDenied` if authorization
  /// is refused or accuracy is reduced.
  ///
  /// Differs from Core Location: a crossing is reported after ten seconds, not after minutes and
  /// about 200 m. The board is inside after ten seconds within the radius. It is outside after ten
  /// seconds beyond the radius plus the position error.
  public func startMonitoring(for region: CircularRegion) { handle(.startMonitoring(region)) }

  /// Stops monitoring the region with this identifier.
  ///
  /// As in Core Location, there is no callback.
  public func stopMonitoring(for region: CircularRegion) {
    handle(.stopMonitoring(region.identifier))
  }

  /// Requests the state of a monitored region.
  ///
  /// As in Core Location, the delegate receives the last known state.
  ///
  /// - Parameter region: The region. The state of a region that is not monitored is `unknown`.
  public func requestState(for region: CircularRegion) { handle(.requestState(region)) }
}
