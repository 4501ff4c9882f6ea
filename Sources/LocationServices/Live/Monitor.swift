// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Streams
internal import Synchronization

/// Watches named conditions, which stay until they are removed, also over a restart.
///
/// An event comes when the state of a condition is another than the one told of last, be that in an
/// earlier run. A condition is watched with full accuracy only.
///
/// Core Location's `CLMonitor` is an actor, of which one of a name may be open, and ends to watch a
/// condition whose event nobody collects. Differs in that it is an object that needs no `await`,
/// that it takes a manager and a storage, and that an event nobody has collected ends no
/// monitoring: what was told last is in ``record(for:)``.
public final class Monitor: Sendable {
  /// The name its conditions are stored by.
  ///
  /// As in Core Location.
  public let name: String

  private struct State {
    var machine: MonitorMachine
    var clock = TrackClock()
    var watching: Task<Void, Never>?
    /// How many events were told, so that a listener can tell what it has missed.
    var eventCount: UInt64 = 0
  }

  private let state: Mutex<State>
  private let broadcast = Broadcast<MonitorEvents.Numbered>(bufferSize: 64)
  private let withdrawal = MonitorEvents.Withdrawal()
  private let storage: (any MonitorStorage)?
  private let saving = Mutex(())

  /// Makes a monitor with the conditions that were stored by its name.
  ///
  /// Core Location's takes the name alone, and keeps the conditions itself. Differs in that it is
  /// given what it watches by and where it stores, since there is no system service for either.
  ///
  /// - Parameters:
  ///   - name: The name; of two monitors of one name the one that saves last is stored.
  ///   - manager: Whose locations decide.
  ///   - storage: Where conditions survive a restart; `nil` for nowhere.
  public init(_ name: String, manager: LocationManager, storage: (any MonitorStorage)? = nil) {
    self.name = name
    self.storage = storage
    state = Mutex(State(machine: Self.stored(name, storage) ?? MonitorMachine()))
    // Listens from now on, and not once a task has begun: what comes meanwhile counts.
    let subscription = manager.subscribe()
    let now = manager.now
    let watching = Task { [weak self] in
      var updates = LocationUpdates.Iterator(subscription)
      while let update = await updates.next() { self?.take(update, at: now()) }
    }
    state.withLock { $0.watching = watching }
  }

  private static func stored(_ name: String, _ storage: (any MonitorStorage)?) -> MonitorMachine? {
    storage?.load(name).flatMap { $0.isUsable ? $0.machine : nil }
  }

  deinit { state.withLock { $0.watching?.cancel() } }

  /// The names of the conditions, in order.
  ///
  /// As in Core Location, with the order said.
  public var identifiers: [String] { state.withLock { $0.machine.records.keys.sorted() } }

  /// A condition and what was told of it last.
  ///
  /// As in Core Location.
  ///
  /// - Parameter identifier: The condition's name.
  /// - Returns: The record; `nil` where there is no such condition.
  public func record(for identifier: String) -> MonitorRecord? {
    state.withLock { $0.machine.records[identifier] }
  }

  /// Adds a condition, of which there may be 20; another of the same name is replaced.
  ///
  /// As in Core Location; what is assumed is unknown unless said. Differs in that a refusal is also
  /// returned, and in that the same condition, added again, goes on as it was.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - identifier: Its name.
  ///   - assumed: What is taken for its state: an event comes when it turns out to be another.
  /// - Returns: `nil`; or, where it cannot be watched, the event that says why. One of the same name
  ///   is then watched on, and the event tells its state.
  @discardableResult
  public func add(
    _ condition: CircularCondition, identifier: String, assuming assumed: MonitorState = .unknown
  ) -> MonitorEvent? {
    let refused = state.withLock {
      $0.machine.add(condition, identifier: identifier, assuming: assumed)
    }
    if let refused { tell([refused]) } else { save() }
    return refused
  }

  /// Removes a condition.
  ///
  /// As in Core Location. No event tells of it.
  public func remove(_ identifier: String) {
    state.withLock { $0.machine.remove(identifier) }
    save()
  }

  /// Starts to listen to events from now on.
  ///
  /// Core Location's `events` is one sequence of the actor. Differs in that any number may listen,
  /// at any time and again, and each gets all from then on.
  ///
  /// - Returns: The events. Who is slow keeps the newest 64, and learns how many it has missed.
  public func events() -> MonitorEvents {
    state.withLock { MonitorEvents(broadcast.subscribe(), after: $0.eventCount, withdrawal) }
  }

  private func tell(_ events: [MonitorEvent]) {
    state.withLock { state in
      for event in events {
        state.eventCount &+= 1
        broadcast.send(.init(number: state.eventCount, event: event))
      }
    }
  }

  private func take(_ update: LocationUpdate, at now: MonotonicTime) {
    let events = state.withLock { state in
      if !update.diagnostics.isDisjoint(with: MonitorMachine.reasonsNotToTell) {
        withdrawal.withdraw(through: state.eventCount)
      }
      let time =
        update.location.map { state.clock.advance(to: $0.time, arrival: now) }
        ?? state.clock.now
      return state.machine.take(update, at: time)
    }
    guard !events.isEmpty else { return }
    // Stored before it is told: an event told is not told again after a restart.
    save()
    tell(events)
  }

  private func save() {
    guard let storage else { return }
    saving.withLock { _ in
      storage.save(MonitorSnapshot(machine: state.withLock { $0.machine }), for: name)
    }
  }
}

/// The conditions of a monitor and what was told of them, for the next run.
///
/// Tells roughly where the board is: whoever stores it keeps it from others.
public struct MonitorSnapshot: Equatable, Codable, Sendable {
  var machine: MonitorMachine

  /// Whether it is what a monitor makes: anybody may have written the file that it was read from.
  var isUsable: Bool { machine.isWithinBounds }
}

/// Where the conditions of monitors survive a restart.
public protocol MonitorStorage: Sendable {
  /// What was saved last by that name.
  ///
  /// - Parameter name: The monitor's name.
  /// - Returns: The snapshot; `nil` where there is none, or none that can be read.
  func load(_ name: String) -> MonitorSnapshot?

  /// Saves by a name.
  func save(_ snapshot: MonitorSnapshot, for name: String)
}
