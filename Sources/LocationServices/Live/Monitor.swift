// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Streams
internal import Synchronization

/// Monitors named conditions, which persist until they are removed, even across restarts.
///
/// An event is sent when a condition's state differs from the last reported state, even if an
/// earlier run of the program reported that state. Monitoring requires full accuracy.
///
/// Core Location's `CLMonitor` is an actor. Only one monitor per name may be open, and a condition
/// whose events are not read is no longer monitored. Differs from Core Location: no `await` is
/// needed, the manager and the storage are passed in, and unread events do not stop monitoring.
/// ``record(for:)`` returns the last event.
public final class Monitor: Sendable {
  /// The name under which the conditions are stored.
  ///
  /// As in Core Location.
  public let name: String

  private struct State {
    var machine: MonitorMachine
    var clock = TrackClock()
    var watching: Task<Void, Never>?
    /// The number of events sent; listeners use it to count the events they missed.
    var eventCount: UInt64 = 0
  }

  private let state: Mutex<State>
  private let broadcast = Broadcast<MonitorEvents.Numbered>(bufferSize: 64)
  private let withdrawal = MonitorEvents.Withdrawal()
  private let storage: (any MonitorStorage)?
  private let saving = Mutex(())

  /// Creates a monitor with the conditions stored under its name.
  ///
  /// Core Location's initializer takes only the name and stores the conditions itself. Differs from
  /// Core Location: the manager and the storage are passed in, since there is no system service.
  ///
  /// - Parameters:
  ///   - name: The name. If two monitors have the same name, the last save wins.
  ///   - manager: The manager that provides locations.
  ///   - storage: The storage that keeps conditions across restarts; `nil` to keep nothing.
  public init(_ name: String, manager: LocationManager, storage: (any MonitorStorage)? = nil) {
    self.name = name
    self.storage = storage
    state = Mutex(State(machine: Self.stored(name, storage) ?? MonitorMachine()))
    // Subscribe here and not in the task, so that no update is lost before the task runs.
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

  /// The names of the conditions, sorted.
  ///
  /// As in Core Location, which does not specify the order.
  public var identifiers: [String] { state.withLock { $0.machine.records.keys.sorted() } }

  /// Returns a condition and its last event; `nil` if there is no such condition.
  ///
  /// As in Core Location.
  public func record(for identifier: String) -> MonitorRecord? {
    state.withLock { $0.machine.records[identifier] }
  }

  /// Adds a condition, or replaces the one with the same name; the limit is 20 conditions.
  ///
  /// As in Core Location, the assumed state is `unknown` by default. Differs from Core Location: a
  /// refusal is also returned, and adding an equal condition again keeps its state.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - identifier: The name of the condition.
  ///   - assumed: The initial state. An event is sent when the actual state differs.
  /// - Returns: `nil` on success, otherwise the event with the refusal. After a refusal, a previous
  ///   condition of that name is still monitored, and the event holds that condition's state.
  @discardableResult
  public func add(
    _ condition: CircularCondition, identifier: String, assuming assumed: MonitorState = .unknown
  ) -> MonitorEvent? {
    let refused = state.withLock {
      $0.machine.add(condition, identifier: identifier, assuming: assumed)
    }
    if let refused { send([refused]) } else { save() }
    return refused
  }

  /// Removes a condition.
  ///
  /// As in Core Location. No event is sent.
  public func remove(_ identifier: String) {
    state.withLock { $0.machine.remove(identifier) }
    save()
  }

  /// Subscribes to events from now on.
  ///
  /// Core Location's `events` is a single sequence of the actor. Differs from Core Location: any
  /// number of listeners can subscribe at any time, and each receives all later events. A slow
  /// listener receives the newest 64 events and the number of events that it missed.
  public func events() -> MonitorEvents {
    state.withLock { MonitorEvents(broadcast.subscribe(), after: $0.eventCount, withdrawal) }
  }

  private func send(_ events: [MonitorEvent]) {
    state.withLock { state in
      for event in events {
        state.eventCount &+= 1
        broadcast.send(.init(number: state.eventCount, event: event))
      }
    }
  }

  private func take(_ update: LocationUpdate, at now: MonotonicTime) {
    let events = state.withLock { state in
      if !update.diagnostics.isDisjoint(with: MonitorMachine.withdrawalReasons) {
        withdrawal.withdraw(through: state.eventCount)
      }
      let time =
        update.location.map { state.clock.advance(to: $0.time, arrival: now) }
        ?? state.clock.now
      return state.machine.take(update, at: time)
    }
    guard !events.isEmpty else { return }
    // Save before sending, so that an event is not sent again after a restart.
    save()
    send(events)
  }

  private func save() {
    guard let storage else { return }
    saving.withLock { _ in
      storage.save(MonitorSnapshot(machine: state.withLock { $0.machine }), for: name)
    }
  }
}

/// The conditions of a monitor and their last events, for storage.
///
/// A snapshot reveals roughly where the board is, so a storage must keep it private.
public struct MonitorSnapshot: Equatable, Codable, Sendable {
  var machine: MonitorMachine

  /// Whether the content is consistent; a stored file may have been changed by others.
  var isUsable: Bool { machine.hasValidState }
}

/// Stores the conditions of monitors across restarts.
public protocol MonitorStorage: Sendable {
  /// Returns the last saved snapshot of a monitor; `nil` if it is missing or unreadable.
  func load(_ name: String) -> MonitorSnapshot?

  /// Saves the snapshot of a monitor.
  func save(_ snapshot: MonitorSnapshot, for name: String)
}
