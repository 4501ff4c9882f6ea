// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Asking for authorization and for locations.
extension LocationManager {
  /// Asks to know where the board is while the program is in use.
  ///
  /// Acts only while undetermined, and only where the manager has a purpose; otherwise it does
  /// nothing, as in Core Location. The answer may take as long as an operator does; a second
  /// request meanwhile is no second question.
  public func requestWhenInUseAuthorization() { handle(.requestAuthorization(.whenInUse)) }

  /// Asks to know at any time.
  ///
  /// Acts while undetermined, and once when granted "in use". A refused upgrade leaves that grant
  /// and calls nobody, as in Core Location; ``diagnostics`` tells. Core Location may grant "always"
  /// provisionally and ask later; here the status changes when somebody has decided.
  public func requestAlwaysAuthorization() { handle(.requestAuthorization(.always)) }

  /// Asks for full accuracy for a while, by a program of reduced accuracy.
  ///
  /// As in Core Location the completion comes before the delegate hears of the change. Full
  /// accuracy ends when its time is over, when the policy says so, when the grant is withdrawn,
  /// and with the manager. Sixteen requests wait for an answer at most; one beyond is refused.
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
  /// What a background activity session is to Core Location, and what a program without a login
  /// session or a terminal needs to be given anything under "when in use". The policy is told,
  /// with the reason. Each beginning wants an end of its own.
  ///
  /// - Parameter reason: What the program does, in words for a log.
  public func beginActivity(reason: String) { handle(.activityBegan(reason: reason)) }

  /// Ends an activity that was begun: a background activity session's `invalidate()`.
  public func endActivity() { handle(.activityEnded) }

  /// Starts continuous updates.
  ///
  /// While undetermined they begin with the grant, which Core Location leaves open. While refused
  /// the delegate is told once that they are. A pending one-shot request is cancelled silently.
  public func startUpdatingLocation() { handle(.start(.updates)) }

  /// Ends updates and a pending one-shot request, without a callback.
  ///
  /// As in Core Location. Differs in that locations which wait to be delivered are dropped: who has
  /// said stop is not called again.
  public func stopUpdatingLocation() { handle(.stop(.updates)) }

  /// Asks for one location: exactly one answer, a location or an error.
  ///
  /// The first location within ``desiredAccuracy`` is the answer. When the time is over it is the
  /// most precise so far, and only without any `LocationError.locationUnknown`. Does nothing
  /// while updates run or a request is pending. Never asks for authorization: while nobody was
  /// asked for it either, the answer in the end is `LocationError.denied`.
  public func requestLocation() { handle(.requestLocation) }

  /// Starts to tell of changes of at least 500 m, at most every five minutes.
  ///
  /// Core Location's first one is often an old location; here it is the next one.
  public func startMonitoringSignificantLocationChanges() { handle(.start(.significantChanges)) }

  /// Ends to tell of significant changes; as in Core Location without a callback.
  public func stopMonitoringSignificantLocationChanges() { handle(.stop(.significantChanges)) }

  /// Starts to tell of stays of five minutes and more within a hundred metres.
  ///
  /// Only with full accuracy. Core Location does not say what makes a visit.
  public func startMonitoringVisits() { handle(.start(.visits)) }

  /// Ends to tell of visits; as in Core Location without a callback.
  ///
  /// The visit that goes on is kept, where there is a storage, and its end told once it is started
  /// again.
  public func stopMonitoringVisits() { handle(.stop(.visits)) }

  /// Starts to tell where the bow points, where a receiver knows.
  ///
  /// Only with full accuracy, since it tells of motion; Core Location gives magnetic headings to
  /// anybody.
  public func startUpdatingHeading() { handle(.start(.heading)) }

  /// Ends to tell of the heading; as in Core Location without a callback.
  public func stopUpdatingHeading() { handle(.stop(.heading)) }
}
