// SPDX-License-Identifier: Apache-2.0

/// Decides when one plugin is started, stopped, started again or left out: events in, actions out.
///
/// There is one instance of the plugin at most at any time. One that was abandoned and is still inside
/// a call counts too: nothing that it says is heard, but it holds a thread and whatever the call is
/// about, and another would most likely come to stand beside it.
public struct PluginSupervision: Equatable, Sendable {
  /// What happens to it.
  public enum Event: Equatable, Sendable {
    /// It is to run.
    case begin
    /// The instance has ended: by itself at the end of its input, or with an error.
    case ended(PluginError?)
    /// The instance that was abandoned has come back from its call after all.
    case returned
    /// The instance must not go on, whatever it says: a call is overdue, or its mailbox is full.
    case condemned(PluginError)
    /// The timer of that number is over.
    case timerOver(UInt64)
    /// The timer of that number is over, and the instance has not worked for a healthy while yet: it
    /// lacks that long at least.
    case unproven(UInt64, lacking: Duration)
    /// Its settings have changed.
    case replace
    /// Nothing more will come in.
    case finish(hasInput: Bool)
    /// It is not wanted any more: nothing more will come in, and it is to stop when it is done.
    ///
    /// Both in one, since a failure between them would be that of one that is wanted.
    case leave(hasInput: Bool)
    /// It is to stop when it is done with what it has in hand.
    case stop
    /// It is to stop at once.
    case cancel
  }

  /// What is to be done.
  public enum Action: Equatable, Sendable {
    /// Make an instance and run it.
    case start
    /// Let the instance see the end of its input.
    case endInput
    /// Cancel the instance.
    case cancel
    /// Leave the instance to itself.
    case abandon
    /// Send ``Event/timerOver(_:)`` with that number then; no other timer counts any more.
    case startTimer(UInt64, Duration)
    /// Tell that it has failed, and after how long it is started again; `nil` for not at all, not
    /// before an abandoned instance has come back, or as was wanted where it was to end anyway.
    case tell(PluginError, retryIn: Duration?)
    /// End the whole run: it is required, and is left out.
    case stopAll(PluginError)
  }

  /// How it stands.
  public enum Phase: Equatable, Sendable {
    /// It has not begun.
    case idle
    /// An instance runs.
    case running
    /// It failed, and waits to be started again.
    case waiting
    /// It is to be started, and waits until the instance that was abandoned has come back.
    case blocked
    /// An instance is waited for to end.
    case ending
    /// It is left out, and why.
    case failed(PluginError)
    /// It has ended for good.
    case stopped
  }

  private enum Next: Equatable {
    case start, stop, fail(PluginError)
    /// Once more, for what waits, and then the end.
    case startLast
  }

  /// How long it must work until its failures are forgotten, and that is what its timer is for now.
  var healthyAfter: Duration? { phase == .running ? restart.healthyAfter : nil }
  /// How it stands.
  public private(set) var phase = Phase.idle
  /// How often it was started after the first time.
  public private(set) var restartCount: UInt64 = 0
  /// How many instances were left to themselves.
  public private(set) var abandonedCount: UInt64 = 0
  /// Whether an instance that was abandoned is still inside its call.
  public private(set) var isInsideCall = false
  /// How long it waits after a failure.
  public var restart: RestartPolicy
  /// How long it is waited for when it is to stop.
  public var stop: StopPolicy
  /// Whether the run ends when it is left out.
  public var isRequired: Bool
  /// Failures since it last worked for a while.
  private var failures = 0
  private var hasStarted = false
  /// Whether it waits because somebody has said for how long.
  private var isLeftAlone = false
  /// Whether nothing more comes in, so that waiting for a restart leads nowhere.
  private var isLast = false
  /// Whether something waited when the input ended.
  private var hasLastInput = false
  private var isCancelled = false
  private var next = Next.stop
  /// Among how many instances the deadlines of the end are divided.
  private var share = 1
  private var timer: UInt64 = 0

  /// Makes the supervision of a plugin that has not begun.
  ///
  /// - Parameters:
  ///   - restart: How long it waits after a failure.
  ///   - stop: How long it is waited for when it is to stop.
  ///   - isRequired: Whether the run ends when it is left out.
  public init(
    restart: RestartPolicy = RestartPolicy(), stop: StopPolicy = StopPolicy(),
    isRequired: Bool = false
  ) {
    self.restart = restart
    self.stop = stop
    self.isRequired = isRequired
  }

  /// Whether it is over with it, unless its settings change.
  public var isOver: Bool {
    switch phase {
    case .failed, .stopped: true
    case .idle, .running, .waiting, .blocked, .ending: false
    }
  }

  /// Takes an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - generator: What decides on the random part of a wait.
  /// - Returns: What is to be done, in order.
  public mutating func handle(
    _ event: Event, using generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch event {
    case .begin: return phase == .idle ? start() : []
    case .ended(let error): return ended(error, &generator)
    case .returned: return returned(&generator)
    case .condemned(let error): return condemn(error, &generator)
    case .timerOver(let number): return number == timer ? timerOver(&generator) : []
    case .unproven(let number, let rest):
      // A call that began just before the timer was over is not waited for in tiny steps.
      return number == timer && phase == .running ? [startTimer(max(rest, .seconds(1)))] : []
    case .replace: return replace()
    case .finish(let hasInput): return finish(hasInput: hasInput)
    case .leave(let hasInput): return finish(hasInput: hasInput) + stop(atOnce: false)
    case .stop: return stop(atOnce: false)
    case .cancel: return stop(atOnce: true)
    }
  }

  private mutating func finish(hasInput: Bool) -> [Action] {
    (isLast, hasLastInput) = (true, hasInput)
    switch phase {
    // Once more at once, for what waits: afterwards nobody will come back to it. Not where it is to be
    // left alone: whoever has asked for that is not to be asked again by each stop.
    case .waiting: return hasInput && !isLeftAlone ? start() : end()
    // Nobody knows when it comes back, and the end does not wait for it.
    case .blocked: return giveUp()
    case .idle, .running, .ending, .failed, .stopped: return []
    }
  }

  private mutating func start() -> [Action] {
    guard !isInsideCall else {
      next = .start
      phase = .blocked
      timer &+= 1
      return []
    }
    if hasStarted { restartCount &+= 1 }
    hasStarted = true
    phase = .running
    return [.start, startTimer(restart.healthyAfter)]
  }

  private mutating func end() -> [Action] {
    phase = .stopped
    timer &+= 1
    return []
  }

  private mutating func startTimer(_ duration: Duration) -> Action {
    timer &+= 1
    return .startTimer(timer, duration)
  }

  private mutating func ended(
    _ error: PluginError?, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .running:
      guard let error else { return end() }
      return fail(error, &generator)
    case .ending:
      // Who was only to end, and says that it could not do so whole; not what a cancel brings about,
      // and not who fails for what is told already.
      if case .fail = next { return conclude(&generator) }
      let told = isCancelled ? nil : error.map { Action.tell($0, retryIn: nil) }
      return [told].compactMap(\.self) + conclude(&generator)
    case .idle, .waiting, .blocked, .failed, .stopped: return []
    }
  }

  private mutating func returned(_ generator: inout some RandomNumberGenerator) -> [Action] {
    isInsideCall = false
    guard phase == .blocked else { return [] }
    guard case .fail(let error) = next else { return start() }
    // What it was abandoned for has been told.
    return [wait(after: error, &generator).action]
  }

  /// What is blocked is not waited for any longer.
  private mutating func giveUp() -> [Action] {
    guard case .fail(let error) = next else { return end() }
    phase = .failed(error)
    return []
  }

  private mutating func wait(
    after error: PluginError, _ generator: inout some RandomNumberGenerator
  ) -> (action: Action, delay: Duration) {
    let delay = restart.delay(after: failures, retryAfter: error.retryAfter, using: &generator)
    failures = min(failures + 1, 64)
    isLeftAlone = error.retryAfter.map { $0 > .zero } ?? false
    phase = .waiting
    return (startTimer(delay), delay)
  }

  private mutating func fail(
    _ error: PluginError, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard error.isTransient, restart.restarts, !isLast else {
      phase = .failed(error)
      timer &+= 1
      return [.tell(error, retryIn: nil)] + (isRequired ? [.stopAll(error)] : [])
    }
    if isInsideCall {
      next = .fail(error)
      phase = .blocked
      timer &+= 1
      return [.tell(error, retryIn: nil)]
    }
    // Whoever hears of it finds the wait begun.
    let (action, delay) = wait(after: error, &generator)
    return [action, .tell(error, retryIn: delay)]
  }

  private mutating func condemn(
    _ error: PluginError, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .running: return beginToEnd(.fail(error), atOnce: true)
    case .ending:
      // What is left out for good is not started again for its settings, but for new ones.
      if case .fail = next, !error.isTransient { next = .fail(error) }
      return []
    // An instance that waits is not condemned for what came meanwhile, unless for good.
    case .idle, .waiting, .blocked: return error.isTransient ? [] : fail(error, &generator)
    case .failed, .stopped: return []
    }
  }

  private mutating func beginToEnd(_ next: Next, atOnce: Bool) -> [Action] {
    self.next = next
    phase = .ending
    isCancelled = atOnce
    return atOnce
      ? [.cancel, startTimer(stop.cancel / share)] : [.endInput, startTimer(stop.drain / share)]
  }

  private mutating func conclude(_ generator: inout some RandomNumberGenerator) -> [Action] {
    switch next {
    case .start: start()
    case .stop: end()
    case .fail(let error): fail(error, &generator)
    case .startLast: startLast()
    }
  }

  /// Starts an instance for what waits, which ends with it.
  private mutating func startLast() -> [Action] {
    guard !isInsideCall else {
      let error = PluginError(
        .transient(), "", why: "the instance before did not end, and no other could be started")
      return [.tell(error, retryIn: nil)] + end()
    }
    return start() + beginToEnd(.stop, atOnce: false)
  }

  private mutating func timerOver(_ generator: inout some RandomNumberGenerator) -> [Action] {
    switch phase {
    case .running:
      failures = 0
      return []
    case .waiting: return start()
    case .ending:
      guard isCancelled else {
        let late = PluginError(
          .transient(), "", why: "had not ended \(stop.drain / share) after the end of its input")
        return (next == .stop ? [.tell(late, retryIn: nil)] : [])
          + beginToEnd(next, atOnce: true)
      }
      abandonedCount &+= 1
      isInsideCall = true
      return [.abandon] + conclude(&generator)
    case .idle, .blocked, .failed, .stopped: return []
    }
  }

  private mutating func replace() -> [Action] {
    failures = 0
    switch phase {
    case .idle, .stopped: return []
    case .running: return beginToEnd(.start, atOnce: false)
    case .waiting, .blocked, .failed: return start()
    case .ending:
      if next != .stop, next != .startLast { next = .start }
      return []
    }
  }

  private mutating func stop(atOnce: Bool) -> [Action] {
    switch phase {
    case .running: return beginToEnd(.stop, atOnce: atOnce)
    case .ending:
      return stopEnding(atOnce: atOnce)
    case .idle, .waiting, .blocked: return end()
    // What was left out is over already, and why stays known.
    case .failed, .stopped: return []
    }
  }

  /// Stops one whose instance is waited for already, for some other reason.
  private mutating func stopEnding(atOnce: Bool) -> [Action] {
    if !atOnce, next == .startLast { return [] }
    if !atOnce, next == .start, hasLastInput {
      // What waits was to be for the instance with the new settings. Both together get the time
      // that one has.
      next = .startLast
      share = 2
      return [startTimer((isCancelled ? stop.cancel : stop.drain) / share)]
    }
    // Nobody comes back to it, so that it is told now.
    let told: Action? = if case .fail(let error) = next { .tell(error, retryIn: nil) } else { nil }
    next = .stop
    return [told].compactMap(\.self)
      + (atOnce && !isCancelled ? beginToEnd(.stop, atOnce: true) : [])
  }
}
