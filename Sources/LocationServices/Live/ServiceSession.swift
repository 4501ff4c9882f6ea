// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// A declared need for locations, for as long as the session exists.
///
/// A session requests the needed authorization when the session starts, and again after a decision
/// was reset. The session also declares that the program is in use. Several sessions may exist at
/// once, as in Core Location, whose `CLServiceSession` also decides whether services run.
/// Differs from Core Location: services run with or without a session, as the policy permits.
public final class ServiceSession: Sendable {
  /// The authorization that a session needs.
  ///
  /// Corresponds to Core Location's `CLServiceSession.AuthorizationRequirement`.
  public enum Need: Hashable, Sendable {
    /// No authorization is requested.
    ///
    /// As in Core Location. The session only declares that the program is in use.
    case none
    /// Authorization while the program is in use.
    ///
    /// As in Core Location.
    case whenInUse
    /// Authorization at any time.
    ///
    /// As in Core Location.
    case always
  }

  private let manager: LocationManager
  private let watching: Task<Void, Never>
  private let isValid = Mutex(true)

  /// Starts a session.
  ///
  /// Core Location's initializer has the same parameters except the manager. Differs from Core
  /// Location: the manager is passed in, since there is no system service. Full accuracy is
  /// requested at most once per session, so that an operator is not asked repeatedly.
  ///
  /// - Parameters:
  ///   - need: The authorization that the session needs.
  ///   - purposeKey: The purpose for which full accuracy is requested while accuracy is reduced;
  ///     `nil` to request none.
  ///   - manager: The manager that makes the requests.
  public init(
    _ need: Need, fullAccuracyPurposeKey purposeKey: String? = nil, manager: LocationManager
  ) {
    self.manager = manager
    manager.beginActivity(reason: "service session")
    let updates = manager.reasonUpdates()
    watching = Task { [weak manager] in
      var tracker = SessionRequestTracker()
      for await update in updates {
        guard let manager else { return }
        let requests = tracker.take(update.diagnostics)
        if requests.authorization { manager.request(need) }
        if requests.fullAccuracy, let purposeKey {
          manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey)
        }
      }
    }
  }

  deinit { invalidate() }

  /// Ends the session permanently; releasing the session does the same.
  ///
  /// As in Core Location.
  public func invalidate() {
    let wasValid = isValid.withLock { isValid in
      defer { isValid = false }
      return isValid
    }
    guard wasValid else { return }
    watching.cancel()
    manager.endActivity()
  }

  /// The current reasons why the need is not met, then the reasons after each change.
  ///
  /// An element is empty if the need is met.
  ///
  /// Core Location's elements have a property for each reason. Differs from Core Location: the
  /// elements are sets, as in live updates.
  public var diagnostics: some AsyncSequence<LocationDiagnostics, Never> & Sendable {
    SessionDiagnostics(updates: manager.reasonUpdates())
  }
}

extension LocationManager {
  fileprivate func request(_ need: ServiceSession.Need) {
    switch need {
    case .none: break
    case .whenInUse: requestWhenInUseAuthorization()
    case .always: requestAlwaysAuthorization()
    }
  }
}

/// Decides when a session makes a request.
struct SessionRequestTracker: Sendable {
  struct Requests: Equatable, Sendable {
    var authorization = false
    var fullAccuracy = false
  }

  private var isUndecided = false
  private var hasRequested = false
  private var isLimited = false

  mutating func take(_ diagnostics: LocationDiagnostics) -> Requests {
    let isNowUndecided = diagnostics.contains(.authorizationNotDetermined)
    let isNowLimited = diagnostics.contains(.accuracyLimited)
    // The first request is made even after a grant, because the grant may be less than the session
    // needs.
    let requests = Requests(
      authorization: isNowUndecided ? !isUndecided : !hasRequested,
      fullAccuracy: isNowLimited && !isLimited)
    hasRequested = true
    isUndecided = isNowUndecided
    // The session requests full accuracy once, and not again after the grant has ended.
    isLimited = isLimited || isNowLimited
    return requests
  }
}

/// The diagnostics of live updates, without repetitions.
struct SessionDiagnostics: AsyncSequence, Sendable {
  let updates: LocationUpdates

  func makeAsyncIterator() -> Iterator { Iterator(base: updates.makeAsyncIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var base: LocationUpdates.Iterator
    var last: LocationDiagnostics?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> LocationDiagnostics? {
      while let update = await base.next(isolation: actor) {
        guard update.diagnostics != last else { continue }
        last = update.diagnostics
        return update.diagnostics
      }
      return nil
    }
  }
}
