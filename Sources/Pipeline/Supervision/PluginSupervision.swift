// SPDX-License-Identifier: Apache-2.0

/// Decides when a plugin is started, stopped, restarted or abandoned.
///
/// This state machine receives events and returns actions. At most one instance of a plugin exists
/// at any time, including an abandoned instance that is still inside a call. An abandoned instance
/// holds a thread and a file or connection, on which a second instance would probably block too.
struct PluginSupervision: Equatable, Sendable {
  /// An event that the host reports.
  enum Event: Equatable, Sendable {
    /// The pipeline started to run.
    case begin
    /// The instance ended, at the end of its input or with an error.
    case ended(PluginError?)
    /// The abandoned instance returned from its call.
    case returned
    /// The instance must end: a call is overdue, or the queue is full of alerts.
    case mustEnd(PluginError)
    /// The clock may have reached ``PluginSupervision/deadline``.
    case timer
    /// The settings changed.
    case replace
    /// The input ended; `hasInput` is true if events are still queued.
    case finish(hasInput: Bool)
    /// Stop the plugin after it has emptied its queue.
    case stop
    /// Stop the plugin immediately.
    case cancel
  }

  /// An instruction for the host.
  enum Action: Equatable, Sendable {
    /// Create an instance and run it.
    case start
    /// End the input of the instance.
    case endInput
    /// Cancel the instance.
    case cancel
    /// Ignore all further calls of the instance.
    case abandon
    /// Report the failure to the sinks.
    case report(PluginError)
    /// End the run, because a required plugin failed.
    case endRun(PluginError)
  }

  /// The state of the plugin.
  enum Phase: Equatable, Sendable {
    /// Not started yet.
    case idle
    /// An instance is running.
    case running
    /// An instance is ending: the end of its input was requested, or it was cancelled.
    case ending
    /// The plugin failed and is waiting to be restarted.
    case waiting
    /// An abandoned instance has not returned. The plugin restarts when the instance returns.
    case blocked
    /// The plugin failed permanently; only new settings restart it.
    case failed(PluginError)
    /// The plugin ended permanently.
    case stopped
  }

  /// The step that follows the end of the current instance.
  private enum Next: Equatable { case restart, stop, fail(PluginError) }

  private(set) var phase = Phase.idle
  /// The time at which the host must send ``Event/timer``; `nil` if no timer is needed.
  private(set) var deadline: Duration?
  private(set) var restartCount: UInt64 = 0
  private(set) var abandonedCount: UInt64 = 0
  /// Whether an abandoned instance is still inside its call.
  private(set) var isInsideCall = false
  var restart: RestartPolicy
  var isRequired: Bool
  private let stop: StopPolicy
  private var next = Next.stop
  /// The number of failures since the plugin last ran for ``RestartPolicy/healthyAfter``.
  private var failures = 0
  private var hasStarted = false
  private var isCancelled = false
  /// Whether the last error requested a minimum delay.
  private var hasRequestedDelay = false
  /// Whether the input has ended, so that a failure is not followed by a restart.
  private var isInputFinished = false
  /// Whether events were still queued when the input ended.
  private var hasInput = false
  /// Whether the next instance only drains the queue, and shares the stop deadlines with the
  /// current instance.
  private var sharesDeadlines = false

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

  /// Whether no instance processes events, temporarily or permanently.
  var isDown: Bool {
    switch phase {
    case .waiting, .blocked, .failed: true
    default: false
    }
  }

  /// Resets the back-off after the plugin has run for ``RestartPolicy/healthyAfter``.
  mutating func forgetFailures() { failures = 0 }

  /// Handles an event and returns the actions for the host.
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
    case .timer: return deadline.map { $0 <= now } == true ? deadlineReached(now, &generator) : []
    case .replace: return replace(now)
    case .finish(let hasInput): return finish(hasInput: hasInput, now)
    case .stop: return stop(atOnce: false, now)
    case .cancel: return stop(atOnce: true, now)
    }
  }

  private mutating func start(_ now: Duration) -> [Action] {
    guard !isInsideCall else {
      guard sharesDeadlines else {
        (phase, next, deadline) = (.blocked, .restart, nil)
        return []
      }
      let error = PluginError(
        .transient(), "", why: "the previous instance did not end, so no new one was started")
      return [.report(error)] + end()
    }
    if hasStarted { restartCount &+= 1 }
    hasStarted = true
    (phase, deadline) = (.running, nil)
    return [.start] + (sharesDeadlines ? beginEnding(.stop, now) : [])
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
      // Ignore an error after a cancel; `conclude` reports a pending failure.
      var report: [Action] = []
      if let error, !isCancelled { report = [.report(error)] }
      return report + conclude(now, &generator)
    default: return []
    }
  }

  /// Continues after the instance has ended or was abandoned.
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
    guard error.isTransient, restart.restarts, !isInputFinished else {
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
    hasRequestedDelay = error.retryAfter.map { $0 > .zero } ?? false
    (phase, deadline) = (.waiting, now + delay)
  }

  private mutating func mustEnd(
    _ error: PluginError, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .running: return beginEnding(.fail(error), atOnce: true, now)
    case .ending:
      // A permanent failure replaces a transient one, but does not override new settings.
      if case .fail = next, !error.isTransient { next = .fail(error) }
      return []
    case .idle, .waiting, .blocked: return error.isTransient ? [] : fail(error, now, &generator)
    case .failed, .stopped: return []
    }
  }

  private mutating func beginEnding(
    _ next: Next, atOnce: Bool = false, _ now: Duration
  ) -> [Action] {
    (phase, self.next, isCancelled) = (.ending, next, atOnce)
    deadline = now + endWait
    return [atOnce ? .cancel : .endInput]
  }

  /// The time limit for the current step of ending the instance.
  private var endWait: Duration {
    (isCancelled ? stop.cancel : stop.drain) / (sharesDeadlines ? 2 : 1)
  }

  private mutating func deadlineReached(
    _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch phase {
    case .waiting: return start(now)
    case .ending:
      guard isCancelled else {
        let late = PluginError(
          .transient(), "", why: "still running \(endWait) after the end of its input")
        return (next == .stop ? [.report(late)] : []) + beginEnding(next, atOnce: true, now)
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
    case .running: return beginEnding(.restart, now)
    case .waiting, .blocked, .failed: return start(now)
    case .ending:
      if next != .stop { next = .restart }
      return []
    }
  }

  private mutating func finish(hasInput: Bool, _ now: Duration) -> [Action] {
    (isInputFinished, self.hasInput) = (true, hasInput)
    switch phase {
    // Start one more instance for the queued events, unless the error requested a delay: repeated
    // stops must not cause extra requests.
    case .waiting: return hasInput && !hasRequestedDelay ? start(now) : end()
    // The call may never return.
    case .blocked:
      guard case .fail(let error) = next else { return end() }
      phase = .failed(error)
      return []
    default: return []
    }
  }

  private mutating func stop(atOnce: Bool, _ now: Duration) -> [Action] {
    switch phase {
    case .running: return beginEnding(.stop, atOnce: atOnce, now)
    case .ending:
      if !atOnce, next == .restart, hasInput {
        // The instance with the new settings will process the queue. Both instances share one
        // deadline.
        if !sharesDeadlines {
          sharesDeadlines = true
          deadline = now + endWait
        }
        return []
      }
      var report: [Action] = []
      if case .fail(let error) = next { report = [.report(error)] }
      next = .stop
      return report + (atOnce && !isCancelled ? beginEnding(.stop, atOnce: true, now) : [])
    case .idle, .waiting, .blocked: return end()
    case .failed, .stopped: return []
    }
  }
}
