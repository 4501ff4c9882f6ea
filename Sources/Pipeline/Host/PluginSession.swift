// SPDX-License-Identifier: Apache-2.0

internal import LocationServices
internal import Positioning
internal import Synchronization

/// One instance of a plugin at work: what it is given, and whether what it says is heard.
final class PluginSession: Sendable {
  private struct State {
    var isHeard = true
    var sawEnd = false
    /// The location that a gate was given last.
    var given: (location: Location, number: UInt64?)?
    /// Whether that has passed, or is counted as held.
    var isSettled = true
  }

  /// Which of its slot's sessions it is.
  let number: UInt64
  let watch: CallWatch?
  private let mailbox: Mailbox
  private let tally: PluginTally
  private let state = Mutex(State())

  init(_ number: UInt64, mailbox: Mailbox, tally: PluginTally, watch: CallWatch?) {
    self.number = number
    self.mailbox = mailbox
    self.tally = tally
    self.watch = watch
  }

  /// Whether what it says counts: nothing does after its end.
  var isHeard: Bool { state.withLock { $0.isHeard } }

  /// Whether it was told that its input is over.
  var sawEnd: Bool { state.withLock { $0.sawEnd } }

  /// From now on nothing that it says counts.
  func silence() { state.withLock { $0.isHeard = false } }

  /// The next event; whoever asks is done with the one before.
  func next() async -> (any PipelineEvent)? {
    watch?.end()
    guard let event = await mailbox.next(for: number) else {
      state.withLock { $0.sawEnd = true }
      return nil
    }
    if !(event is WakeEvent) { tally.took() }
    watch?.begin()
    return event
  }

  /// From now on it says for itself what it is done with.
  func beginBatches() { mailbox.beginBatches(for: number) }

  /// It is done with what it was given, but for so many that it has laid by; counted where it still
  /// was its own.
  func settle(keeping count: Int = 0) {
    let settled = mailbox.settle(number, keeping: count)
    guard settled > 0 else { return }
    tally.gaveOn(UInt64(settled))
    tally.succeeded()
  }

  /// What it was given and is not done with is there for the next instance, where its mailbox keeps
  /// everything.
  func putBack() { mailbox.putBack(from: number) }

  /// Lets it look whether there is something to be done after a while.
  func wake(after duration: Duration, on clock: any Clock<Duration>) -> Task<Void, Never> {
    Task { [mailbox, number] in
      guard (try? await clock.sleep(for: duration)) != nil else { return }
      mailbox.wake(number)
    }
  }

  /// The next location, for a gate.
  func nextLocation() async -> Location? {
    if state.withLock({ $0.given != nil }) { tally.succeeded() }
    while let event = await next() {
      guard let event = event as? LocationEvent else { continue }
      state.withLock {
        $0.given = (event.location, event.number)
        $0.isSettled = false
      }
      return event.location
    }
    return nil
  }

  /// The next location with what was found, for a stage.
  func nextValue() async -> EnrichedLocation? {
    while let event = await next() {
      if let event = event as? EnrichedEvent { return event.value }
    }
    return nil
  }

  /// Whether a gate, which asks for more, has not let go on what it was given last; once for each.
  func holdsLast() -> Bool {
    state.withLock { state in
      defer { state.isSettled = true }
      return state.isHeard && !state.isSettled
    }
  }

  /// A gate lets a location go on; its number, where it is the newest it was given, as gates hold it.
  func passed(_ location: Location) -> UInt64? {
    state.withLock { state in
      guard let given = state.given, given.location == location else { return nil }
      state.isSettled = true
      return given.number
    }
  }
}
