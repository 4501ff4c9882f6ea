// SPDX-License-Identifier: Apache-2.0

/// Decides when one plugin is started, stopped, restarted or given up: events in, actions out.
///
/// At most one instance of a plugin exists at any time. An abandoned instance that is still inside a
/// call counts: it holds a thread and the file or connection it is blocked on, so that a second one
/// would most likely block beside it.
struct PluginSupervision: Equatable, Sendable {
  /// An event in the life of a plugin.
  enum Event: Equatable, Sendable {
    /// The pipeline runs.
    case begin
    /// The instance ended, at the end of its input or with an error.
    case ended(PluginError?)
    /// The abandoned instance returned from its call.
    case returned
    /// The instance must not go on: a call is overdue, or its queue is full.
    case mustEnd(PluginError)
    /// The clock may have reached ``PluginSupervision/deadline``.
    case timer
    /// The settings changed.
    case replace
    /// Nothing more is put into the queue.
    case finish(hasInput: Bool)
    /// The plugin is to end when it has dealt with its queue.
    case stop
    /// The plugin is to end at once.
    case cancel
  }

  /// An instruction for the host.
  enum Action: Equatable, Sendable {
    /// Make an instance and run it.
    case start
    /// End the input of the instance.
    case endInput
    /// Cancel the instance.
    case cancel
    /// Ignore the instance from now on.
    case abandon
    /// Tell the other plugins that this one failed.
    case report(PluginError)
    /// End the whole run: a required plugin failed.
    case endRun(PluginError)
  }

  /// A phase in the life of a plugin.
  enum Phase: Equatable, Sendable {
    /// Not started yet.
    case idle
    /// An instance runs.
    case running
    /// An instance was told to end.
    case ending
    /// The plugin failed and waits to be restarted.
    case waiting
    /// The plugin is to be restarted when the abandoned instance returns.
    case blocked
    /// The plugin failed permanently; only new settings restart it.
    case failed(PluginError)
    /// The plugin ended for good.
    case stopped
  }

  /// What follows when the present instance has ended.
  private enum Next: Equatable { case restart, stop, fail(PluginError) }

  private(set) var phase = Phase.idle
  /// When the host sends ``Event/timer``, by its clock; `nil` for never.
  private(set) var deadline: Duration?
  private(set) var restartCount: UInt64 = 0
  private(set) var abandonedCount: UInt64 = 0
  /// Whether an abandoned instance is still inside its call.
  private(set) var isInsideCall = false
  var restart: RestartPolicy
  var isRequired: Bool
  private let stop: StopPolicy
  private var next = Next.stop
  /// Failures since the plugin last worked for a while.
  private var failures = 0
  private var hasStarted = false
  private var isCancelled = false
  /// Whether the last error asked for a wait of some length.
  private var isLeftAlone = false
  /// Whether the input is finished, so that no restart follows a failure.
  private var isLast = false
  private var hasInput = false
  /// Whether the instance that follows is stopped at once, and shares the deadlines with this one.
  private var isSharing = false

  init(restart: RestartPolicy, stop: StopPolicy, isRequired: Bool) {
    self.restart = restart
    self.stop = stop
    self.isRequired = isRequired
  }

  /// Whether the plugin has stopped or failed permanently.
  var isFinished: Bool {
    switch phase {
    case .failed, .stopped: true
    default: false
    }
  }

  /// Whether there is no instance to take anything, for a while or for good.
  var isDown: Bool {
    switch phase {
    case .waiting, .blocked, .failed: true
    default: false
    }
  }

  /// Restarts the back-off at its first wait: the plugin has worked for a while.
  mutating func forgetFailures() { failures = 0 }

  /// Takes an event.
  mutating func handle(
    _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch event {
    case .begin: return phase == .idle ? start(now) : []
    case .ended(let error): return ended(error, now, &generator)
    case .returned:
      isInsideCall = false
      guard phase == .blocked else { return [] }
      guard case .fail(let error) = next else { return start(now) }
      // The error was reported when the instance was abandoned.
      wait(after: error, now, &generator)
      return []
    case .mustEnd(let error): return mustEnd(error, now, &generator)
    case .timer: return deadline.map { $0 <= now } == true ? deadlineOver(now, &generator) : []
    case .replace: return replace(now)
    case .finish(let hasInput): return finish(hasInput: hasInput, now)
    case .stop: return stop(atOnce: false, now)
    case .cancel: return stop(atOnce: true, now)
    }
  }

  private mutating func start(_ now: Duration) -> [Action] {
    guard !isInsideCall else {
      guard isSharing else {
        (phase, next, deadline) = (.blocked, .restart, nil)
        return []
      }
      let error = PluginError(
        .transient(), "", why: "the instance before did not end, and no other could be started")
      return [.report(error)] + end()
    }
    if hasStarted { restartCount &+= 1 }
    hasStarted = true
    (phase, deadline) = (.running, nil)
    return [.start] + (isSharing ? beginToEnd(.stop, now) : [])
  }

  private mutating func end() -> [Action] {
    (phase, deadline) = (.stopped, nil)
    return []
  }

  private mutating func ended(
    _ error: PluginError?, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .running: return error.map { fail($0, now, &generator) } ?? end()
    case .ending:
      // An error after a cancel says nothing new; a failure that is pending is reported below.
      var report: [Action] = []
      if let error, !isCancelled { report = [.report(error)] }
      return report + conclude(now, &generator)
    default: return []
    }
  }

  /// Goes on after the instance has ended or was abandoned.
  private mutating func conclude(
    _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch next {
    case .restart: start(now)
    case .stop: end()
    case .fail(let error): fail(error, now, &generator)
    }
  }

  private mutating func fail(
    _ error: PluginError, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard error.isTransient, restart.restarts, !isLast else {
      (phase, deadline) = (.failed(error), nil)
      return [.report(error)] + (isRequired ? [.endRun(error)] : [])
    }
    if isInsideCall {
      (phase, next, deadline) = (.blocked, .fail(error), nil)
    } else {
      wait(after: error, now, &generator)
    }
    return [.report(error)]
  }

  private mutating func wait(
    after error: PluginError, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) {
    let delay = restart.delay(after: failures, retryAfter: error.retryAfter, using: &generator)
    failures = min(failures + 1, 64)
    isLeftAlone = error.retryAfter.map { $0 > .zero } ?? false
    (phase, deadline) = (.waiting, now + delay)
  }

  private mutating func mustEnd(
    _ error: PluginError, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .running: return beginToEnd(.fail(error), atOnce: true, now)
    case .ending:
      // A permanent failure takes the place of a transient one, but not of new settings.
      if case .fail = next, !error.isTransient { next = .fail(error) }
      return []
    case .idle, .waiting, .blocked: return error.isTransient ? [] : fail(error, now, &generator)
    case .failed, .stopped: return []
    }
  }

  private mutating func beginToEnd(
    _ next: Next, atOnce: Bool = false, _ now: Duration
  ) -> [Action] {
    (phase, self.next, isCancelled) = (.ending, next, atOnce)
    deadline = now + endWait
    return [atOnce ? .cancel : .endInput]
  }

  /// How long the instance that is ending is waited for.
  private var endWait: Duration { (isCancelled ? stop.cancel : stop.drain) / (isSharing ? 2 : 1) }

  private mutating func deadlineOver(
    _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .waiting: return start(now)
    case .ending:
      guard isCancelled else {
        let late = PluginError(
          .transient(), "", why: "had not ended \(endWait) after the end of its input")
        return (next == .stop ? [.report(late)] : []) + beginToEnd(next, atOnce: true, now)
      }
      abandonedCount &+= 1
      isInsideCall = true
      return [.abandon] + conclude(now, &generator)
    default: return []
    }
  }

  private mutating func replace(_ now: Duration) -> [Action] {
    failures = 0
    switch phase {
    case .idle, .stopped: return []
    case .running: return beginToEnd(.restart, now)
    case .waiting, .blocked, .failed: return start(now)
    case .ending:
      if next != .stop { next = .restart }
      return []
    }
  }

  private mutating func finish(hasInput: Bool, _ now: Duration) -> [Action] {
    (isLast, self.hasInput) = (true, hasInput)
    switch phase {
    // One more instance for what is queued, unless the error asked for a wait: repeated stops must
    // not cause extra requests.
    case .waiting: return hasInput && !isLeftAlone ? start(now) : end()
    // The end does not wait for a call that may never return.
    case .blocked:
      guard case .fail(let error) = next else { return end() }
      phase = .failed(error)
      return []
    default: return []
    }
  }

  private mutating func stop(atOnce: Bool, _ now: Duration) -> [Action] {
    switch phase {
    case .running: return beginToEnd(.stop, atOnce: atOnce, now)
    case .ending:
      if !atOnce, next == .restart, hasInput {
        // The queue is for the instance with the new settings; both share the time of one.
        if !isSharing {
          isSharing = true
          deadline = now + endWait
        }
        return []
      }
      var report: [Action] = []
      if case .fail(let error) = next { report = [.report(error)] }
      next = .stop
      return report + (atOnce && !isCancelled ? beginToEnd(.stop, atOnce: true, now) : [])
    case .idle, .waiting, .blocked: return end()
    case .failed, .stopped: return []
    }
  }
}
