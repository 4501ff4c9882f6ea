// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Streams
internal import Synchronization

/// Locations as they come, and why none comes: any number of readers, at any time and again.
///
/// Core Location's `CLLocationUpdate.Updates`. Each loop over it is a reader of its own, and begins
/// with the reasons as they are; with reduced accuracy also with the location told last, while it
/// is too soon for another. Ends with the manager, or with the reader's task. Differs in that a
/// reader keeps the newest update alone, and learns how many it has missed: what is old is not
/// passed for new.
///
/// Locations come while there is a reader and the policy allows it; nothing has to be started. The
/// delegate's settings do not apply.
public struct LocationUpdates: AsyncSequence, Sendable {
  struct Numbered: Sendable {
    var number: UInt64
    var update: LocationUpdate
  }

  /// What comes, and the number of what came before it.
  typealias Subscription = (stream: AsyncStream<Numbered>, before: UInt64)

  private let subscribe: @Sendable () -> Subscription

  init(_ subscribe: @escaping @Sendable () -> Subscription) {
    self.subscribe = subscribe
  }

  /// Starts to read.
  ///
  /// As in Core Location.
  ///
  /// - Returns: A reader of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(subscribe()) }

  /// One reader.
  ///
  /// As in Core Location.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: AsyncStream<Numbered>.Iterator
    private var last: UInt64

    init(_ subscription: Subscription) {
      base = subscription.stream.makeAsyncIterator()
      last = subscription.before
    }

    /// Waits for the next update.
    ///
    /// Core Location's throws. Differs in that it does not: whatever is the matter is in
    /// ``LocationUpdate/diagnostics``.
    ///
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The update; `nil` at the end.
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

/// What live updates are for.
///
/// Core Location spends more or less power by it, and reads its sensors in another way. Differs in
/// that it is a remark without effect: a receiver gives what it gives, and there is no power to
/// save by knowing more.
public enum LiveConfiguration: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Nothing in particular.
  ///
  /// Core Location's of that name. Differs in that it is without effect.
  case `default` = 0
  /// In a car.
  ///
  /// Core Location's of that name. Differs in that it is without effect.
  case automotiveNavigation = 1
  /// On another vehicle.
  ///
  /// Core Location's of that name. Differs in that it is without effect.
  case otherNavigation = 2
  /// On foot or on a bicycle.
  ///
  /// Core Location's of that name. Differs in that it is without effect.
  case fitness = 3
  /// In the air.
  ///
  /// Core Location's of that name. Differs in that it is without effect.
  case airborne = 4
}

extension LocationUpdate {
  /// Locations as they come, and why none comes.
  ///
  /// Core Location's takes no manager, since there is one system, and may stop while the device
  /// does not move. Differs in that it is given the manager, and in that updates go on and say in
  /// ``diagnostics`` that the board rests.
  ///
  /// - Parameters:
  ///   - configuration: What they are for.
  ///   - manager: Whose they are.
  /// - Returns: The updates, for any number of readers.
  public static func liveUpdates(
    _ configuration: LiveConfiguration = .default, from manager: LocationManager
  ) -> LocationUpdates { manager.liveUpdates() }
}

extension LocationManager {
  func liveUpdates() -> LocationUpdates {
    LocationUpdates { [weak self] in self?.subscribe() ?? (AsyncStream { $0.finish() }, 0) }
  }

  /// Why nothing comes, for those who want no location: no use of a grant.
  func reasonUpdates() -> LocationUpdates {
    LocationUpdates { [weak self] in
      self?.subscribe(forLocations: false) ?? (AsyncStream { $0.finish() }, 0)
    }
  }

  /// How many readers there are.
  var listenerCount: Int { live.listenerCount }

  /// Begins to listen at once.
  func subscribe(forLocations isForLocations: Bool = true) -> LocationUpdates.Subscription {
    let time = now()
    // Under the lock, so that no change falls between the first update and the subscription.
    let (stream, number, actions, notes) = state.withLock { state in
      let first = LocationUpdates.Numbered(
        number: state.updateCount,
        update: state.machine.firstUpdate(isForLocations: isForLocations, at: time))
      let stream = (isForLocations ? live : reasons).subscribe(startingWith: first)
      var actions = countListeners(&state, at: time)
      if first.update.location != nil { actions += state.machine.count(.liveUpdates) }
      return (stream, first.number, actions, state.notes.add(actions.compactMap(\.use)))
    }
    if notes { tellNotes() }
    for action in actions { perform(action) }
    return (stream, number &- 1)
  }

  /// Listeners come and go without a word; what they are told is decided with the next event, and
  /// the policy hears of them then.
  func countListeners(
    _ state: inout State, at time: MonotonicTime
  ) -> [LocationMachine.Action] {
    let (count, reasonCount) = (live.listenerCount, reasons.listenerCount)
    guard
      count != state.machine.listenerCount || reasonCount != state.machine.reasonListenerCount
    else { return [] }
    return state.machine.handle(.listenersChanged(count, reasons: reasonCount), at: time)
  }

  func send(_ update: LocationUpdate, in state: inout State) {
    state.updateCount &+= 1
    var numbered = LocationUpdates.Numbered(number: state.updateCount, update: update)
    live.send(numbered)
    guard reasons.listenerCount > 0 else { return }
    numbered.update.location = nil
    reasons.send(numbered)
  }
}
