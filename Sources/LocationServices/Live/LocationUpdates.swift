// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Streams
internal import Synchronization

/// Live locations, or the reasons why there is none, for any number of readers.
///
/// Corresponds to Core Location's `CLLocationUpdate.Updates`. Each loop over the sequence is a
/// separate reader. Its first element holds the current diagnostics and, under reduced accuracy,
/// the last delivered location until the next one is due. The sequence ends when the manager is
/// released or the reader's task is cancelled. Differs from Core Location: a reader buffers only
/// the newest update and counts missed updates, so that an old location never appears as current.
///
/// Locations arrive while there is a reader and the policy permits locations; no service has to be
/// started. The settings for the delegate do not apply.
public struct LocationUpdates: AsyncSequence, Sendable {
  struct Numbered: Sendable {
    var number: UInt64
    var update: LocationUpdate
  }

  /// A stream of updates, and the number of the update before the first in the stream.
  typealias Subscription = (stream: AsyncStream<Numbered>, before: UInt64)

  private let subscribe: @Sendable () -> Subscription

  init(_ subscribe: @escaping @Sendable () -> Subscription) {
    self.subscribe = subscribe
  }

  /// Starts a new reader.
  ///
  /// As in Core Location.
  public func makeAsyncIterator() -> Iterator { Iterator(subscribe()) }

  /// A reader of live updates.
  ///
  /// As in Core Location.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: AsyncStream<Numbered>.Iterator
    private var last: UInt64

    init(_ subscription: Subscription) {
      base = subscription.stream.makeAsyncIterator()
      last = subscription.before
    }

    /// Waits for the next update; returns `nil` at the end.
    ///
    /// Core Location's method throws. Differs from Core Location: problems are reported in
    /// ``LocationUpdate/diagnostics``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> LocationUpdate? {
      guard let next = await base.next(isolation: actor) else { return nil }
      var update = next.update
      update.missedCount = next.number &- last &- 1
      last = next.number
      return update
    }
  }
}

/// The activity that live updates are used for.
///
/// Core Location adapts its power consumption and sensors to the activity. Differs from Core
/// Location: the activity has no effect, because a receiver cannot be adapted.
public enum LiveConfiguration: Int, Hashable, Codable, Sendable, CaseIterable {
  /// No particular activity.
  ///
  /// Differs from Core Location: this value has no effect.
  case `default` = 0
  /// Driving a car.
  ///
  /// Differs from Core Location: this value has no effect.
  case automotiveNavigation = 1
  /// Travelling by another vehicle.
  ///
  /// Differs from Core Location: this value has no effect.
  case otherNavigation = 2
  /// Walking, running or cycling.
  ///
  /// Differs from Core Location: this value has no effect.
  case fitness = 3
  /// Flying.
  ///
  /// Differs from Core Location: this value has no effect.
  case airborne = 4
}

extension LocationUpdate {
  /// Returns the live updates of a manager, for any number of readers.
  ///
  /// Core Location's method has no manager, and its updates may stop while the device does not
  /// move. Differs from Core Location: the manager is passed in, and updates continue while the
  /// board does not move. ``diagnostics`` then contains `LocationDiagnostics.stationary`.
  public static func liveUpdates(
    _ configuration: LiveConfiguration = .default, from manager: LocationManager
  ) -> LocationUpdates { manager.liveUpdates() }
}

extension LocationManager {
  func liveUpdates() -> LocationUpdates {
    LocationUpdates { [weak self] in self?.subscribe() ?? (AsyncStream { $0.finish() }, 0) }
  }

  /// Returns updates without locations, for diagnostics; reading them does not use a grant.
  func reasonUpdates() -> LocationUpdates {
    LocationUpdates { [weak self] in
      self?.subscribe(forLocations: false) ?? (AsyncStream { $0.finish() }, 0)
    }
  }

  var listenerCount: Int { state.withLock { $0.live.listenerCount } }

  /// Subscribes at once; later updates are buffered.
  func subscribe(forLocations isForLocations: Bool = true) -> LocationUpdates.Subscription {
    let time = now()
    // The lock ensures that no change is lost between the first update and the subscription.
    let (subscription, actions, deliversNotes) = state.withLock { state in
      let first = state.machine.firstUpdate(isForLocations: isForLocations, at: time)
      let subscription = state.live.subscribe(startingWith: first, forLocations: isForLocations)
      let actions = countListeners(&state, at: time) + state.machine.count(first)
      return (subscription, actions, state.notes.add(actions.compactMap(\.use)))
    }
    if deliversNotes { deliverNotes() }
    for action in actions { perform(action) }
    return subscription
  }

  /// Passes changed listener counts to the machine.
  ///
  /// Listeners subscribe and leave without notice. A change of their number takes effect with the
  /// next event, and the policy is notified at that time.
  func countListeners(_ state: inout State, at time: MonotonicTime) -> [LocationMachine.Action] {
    let (count, reasonCount) = (state.live.listenerCount, state.live.reasonListenerCount)
    guard
      count != state.machine.listenerCount || reasonCount != state.machine.reasonListenerCount
    else { return [] }
    return state.machine.handle(.listenersChanged(count, reasons: reasonCount), at: time)
  }
}

/// Sends live updates to the listeners of a manager.
struct LiveBroadcast: Sendable {
  typealias Numbered = LocationUpdates.Numbered

  /// Live updates; only the newest is buffered, so that an update after a revocation replaces
  /// earlier updates.
  private let updates = Broadcast<Numbered>(bufferSize: 1)
  /// The same updates without locations, for diagnostics only.
  private let reasons = Broadcast<Numbered>(bufferSize: 1)
  /// The number of updates sent; subscribers use it to count the updates they missed.
  private var count: UInt64 = 0

  var listenerCount: Int { updates.listenerCount }
  var reasonListenerCount: Int { reasons.listenerCount }

  func subscribe(
    startingWith first: LocationUpdate, forLocations isForLocations: Bool
  ) -> LocationUpdates.Subscription {
    let numbered = Numbered(number: count, update: first)
    let stream = (isForLocations ? updates : reasons).subscribe(startingWith: numbered)
    return (stream, count &- 1)
  }

  mutating func send(_ update: LocationUpdate) {
    count &+= 1
    var numbered = Numbered(number: count, update: update)
    updates.send(numbered)
    guard reasons.listenerCount > 0 else { return }
    numbered.update.location = nil
    reasons.send(numbered)
  }
}
