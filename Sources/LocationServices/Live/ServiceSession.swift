// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// A declared need for locations, for as long as it is held.
///
/// Asks for what it needs while nobody has decided, anew when a decision is reset, and declares the
/// program to be in use. Any number may be held at once, as in Core Location, whose
/// `CLServiceSession` also decides whether services run at all. Differs in that they run with or
/// without one: the policy alone decides.
public final class ServiceSession: Sendable {
  /// What is needed.
  ///
  /// As Core Location's `CLServiceSession.AuthorizationRequirement`.
  public enum Need: Hashable, Sendable {
    /// Nothing is asked for.
    ///
    /// As in Core Location. The program is in use, and that is all.
    case none
    /// To know where the board is while the program is in use.
    ///
    /// As in Core Location.
    case whenInUse
    /// To know at any time.
    ///
    /// As in Core Location.
    case always
  }

  private let manager: LocationManager
  private let watching: Task<Void, Never>
  private let isValid = Mutex(true)

  /// Begins a session.
  ///
  /// Core Location's takes the same, but for the manager. Differs in that it is given the manager,
  /// since there is no system service, and in that full accuracy is asked for once a session: an
  /// operator is not bothered again by the same one.
  ///
  /// - Parameters:
  ///   - need: What is needed.
  ///   - purposeKey: What full accuracy is needed for, where it is and accuracy is reduced; asked
  ///     for once.
  ///   - manager: Of whom it is asked.
  public init(
    _ need: Need, fullAccuracyPurposeKey purposeKey: String? = nil, manager: LocationManager
  ) {
    self.manager = manager
    manager.beginActivity(reason: "service session")
    let updates = manager.reasonUpdates()
    watching = Task { [weak manager] in
      var asking = SessionAsking()
      for await update in updates {
        guard let manager else { return }
        let asks = asking.take(update.diagnostics)
        if asks.authorization { manager.request(need) }
        if asks.fullAccuracy, let purposeKey {
          manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: purposeKey)
        }
      }
    }
  }

  deinit { invalidate() }

  /// Ends the session for good; also happens when it is released.
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

  /// Why the need is not met, from now on and whenever that changes; empty where it is met.
  ///
  /// Core Location's elements have a property for each reason. Differs in that they are sets, the
  /// same as those of live updates.
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

/// When a session asks: once for each time that there is something to ask.
struct SessionAsking: Sendable {
  struct Asks: Equatable, Sendable {
    var authorization = false
    var fullAccuracy = false
  }

  private var isUndecided = false
  private var hasAskedAtAll = false
  private var isLimited = false

  mutating func take(_ diagnostics: LocationDiagnostics) -> Asks {
    let undecided = diagnostics.contains(.authorizationNotDetermined)
    let limited = diagnostics.contains(.accuracyLimited)
    // The first time also where something is granted: it may be less than is needed.
    let asks = Asks(
      authorization: undecided ? !isUndecided : !hasAskedAtAll,
      fullAccuracy: limited && !isLimited)
    hasAskedAtAll = true
    isUndecided = undecided
    // Asked for once: when it ends, nobody is bothered again by the same session.
    isLimited = isLimited || limited
    return asks
  }
}

/// The reasons of live updates, each time they change.
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
