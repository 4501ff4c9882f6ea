// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Streams
internal import Synchronization

/// Locations as they come, and why none comes: any number of readers, at any time and again.
///
/// Each loop over it is a reader of its own, and begins with the reasons as they are; with reduced
/// accuracy also with the location told last, while it is too soon for another. A reader
/// keeps the newest update alone; one that was too slow learns how many it has missed. Ends with
/// the manager, or with the reader's task.
///
/// Locations come while there is a reader and the policy allows it; nothing has to be started.
/// The delegate's settings do not apply.
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
  /// - Returns: A reader of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(subscribe()) }

  /// One reader.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: AsyncStream<Numbered>.Iterator
    private var last: UInt64

    init(_ subscription: Subscription) {
      base = subscription.stream.makeAsyncIterator()
      last = subscription.before
    }

    /// Waits for the next update.
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

/// What live updates are for, with Core Location's names: here, a remark without effect.
///
/// A receiver gives what it gives; there is no power to save by knowing more.
public enum LiveConfiguration: Int, Hashable, Codable, Sendable, CaseIterable {
  /// Nothing in particular.
  case `default` = 0
  /// In a car.
  case automotiveNavigation = 1
  /// On another vehicle.
  case otherNavigation = 2
  /// On foot or on a bicycle.
  case fitness = 3
  /// In the air.
  case airborne = 4
}

extension LocationUpdate {
  /// Locations as they come, and why none comes.
  ///
  /// Core Location's takes no manager, since there is one system. Its updates may stop while the
  /// device does not move; here they go on and say so in ``diagnostics``.
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

  /// How many readers there are.
  var listenerCount: Int { live.listenerCount }

  /// Begins to listen at once.
  func subscribe() -> LocationUpdates.Subscription {
    let time = now()
    // Under the lock, so that no change falls between the first update and the subscription.
    return state.withLock { state in
      let first = LocationUpdates.Numbered(
        number: state.updateCount, update: state.machine.firstUpdate(at: time))
      let stream = live.subscribe(startingWith: first)
      countListeners(&state, at: time)
      return (stream, first.number &- 1)
    }
  }

  /// Listeners come and go without a word; what they are told is decided with the next event.
  func countListeners(_ state: inout State, at time: MonotonicTime) {
    let count = live.listenerCount
    guard count != state.machine.listenerCount else { return }
    _ = state.machine.handle(.listenersChanged(count), at: time)
  }

  func send(_ update: LocationUpdate, in state: inout State) {
    state.updateCount &+= 1
    live.send(LocationUpdates.Numbered(number: state.updateCount, update: update))
  }
}
