// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Pipeline

/// The decisions to start, stop, restart or abandon a plugin.
@Suite struct PluginSupervisionTests {
  private typealias Event = PluginSupervision.Event
  private typealias Action = PluginSupervision.Action

  private static let broken = PluginError(.transient(), "write", why: "disk full")
  private static let closed = PluginError(.permanent, "write", why: "closed")

  /// A supervision with a random number generator and a clock.
  private struct Fixture {
    var supervision: PluginSupervision
    var dice = SeededGenerator(seed: 1)
    var now = Duration.zero

    init(_ restart: RestartPolicy = RestartPolicy(), stop: StopPolicy = StopPolicy(), isRequired: Bool = false) {
      supervision = PluginSupervision(restart: restart, stop: stop, isRequired: isRequired)
    }

    /// The time until the deadline.
    var wait: Duration { (supervision.deadline ?? now) - now }

    @discardableResult
    mutating func handle(_ event: Event) -> [Action] {
      supervision.handle(event, at: now, using: &dice)
    }

    /// Advances the clock to the deadline.
    @discardableResult
    mutating func advanceToDeadline() -> [Action] {
      now += max(wait, .zero)
      return handle(.timer)
    }

    /// Removes the plugin from the plan.
    mutating func remove() -> [Action] { handle(.finish(hasInput: true)) + handle(.stop) }
  }

  @Test func `the restart delay grows up to a maximum, and is reset when failures are forgotten`() {
    var fixture = Fixture(RestartPolicy(firstDelay: .seconds(1), maxDelay: .seconds(20)))
    #expect(fixture.handle(.begin) == [.start])
    for limit in [1.0, 2, 4, 8, 16, 20, 20] {
      #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken)])
      #expect((.seconds(limit / 2) ... .seconds(limit)).contains(fixture.wait))
      #expect(fixture.handle(.timer) == [] && fixture.advanceToDeadline() == [.start])
    }
    fixture.supervision.forgetFailures()
    fixture.handle(.ended(Self.broken))
    #expect(fixture.wait <= .seconds(1))
    #expect(fixture.supervision.restartCount == 7)
  }

  @Test(arguments: [
    (Duration.seconds(3600), Duration.seconds(3600)), (.seconds(1 << 40), .seconds(86_400)),
  ])
  func `the restart delay that an error requests is used, up to one day`(asked: Duration, waited: Duration) {
    var fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.ended(PluginError(.transient(retryAfter: asked), "ask", why: "busy")))
    #expect(fixture.wait == waited)
  }

  @Test func `a requested delay of zero or less does not shorten the back-off`() {
    var fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.ended(PluginError(.transient(retryAfter: .seconds(-9)), "ask", why: "busy")))
    #expect(fixture.wait >= .milliseconds(500))
  }

  @Test(arguments: [PluginError.Kind.permanent, .unsupported, .configuration], [false, true])
  func `a permanent error stops the plugin, and ends the run if the plugin is required`(
    kind: PluginError.Kind, isRequired: Bool
  ) {
    var fixture = Fixture(isRequired: isRequired)
    let error = PluginError(kind, "write", why: "no")
    fixture.handle(.begin)
    #expect(fixture.handle(.ended(error)) == [.report(error)] + (isRequired ? [.endRun(error)] : []))
    #expect(fixture.supervision.phase == .failed(error))
    #expect(fixture.handle(.begin) == [] && fixture.handle(.ended(Self.broken)) == [])
    // New settings restart the plugin.
    #expect(fixture.handle(.replace) == [.start])
  }

  @Test func `if restarts are disabled, the first failure is permanent`() {
    var fixture = Fixture(.never)
    fixture.handle(.begin)
    #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(fixture.supervision.phase == .failed(Self.broken))
  }

  @Test func `a stop first ends the plugin's input, then cancels and finally abandons the instance`() {
    var fixture = Fixture(stop: StopPolicy(drain: .seconds(3), cancel: .seconds(2)))
    fixture.handle(.begin)
    #expect(fixture.handle(.stop) == [.endInput] && fixture.wait == .seconds(3))
    let late = PluginError(.transient(), "", why: "still running 3.0 seconds after the end of its input")
    #expect(fixture.advanceToDeadline() == [.report(late), .cancel])
    #expect(fixture.wait == .seconds(2))
    #expect(fixture.advanceToDeadline() == [.abandon])
    #expect(fixture.supervision.phase == .stopped && fixture.supervision.abandonedCount == 1)
    #expect(fixture.handle(.stop) == [] && fixture.handle(.begin) == [])
  }

  @Test func `a failure while stopping is reported, unless it was caused by a cancel`() {
    var fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.stop)
    #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(fixture.supervision.phase == .stopped)
    fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.cancel)
    #expect(fixture.handle(.ended(Self.broken)) == [] && fixture.supervision.phase == .stopped)
  }

  private static let overdue = PluginError(.transient(), "receive", why: "took more than 10 s")

  /// A plugin whose overdue instance was abandoned.
  private static func blocked(isRequired: Bool = false) -> Fixture {
    var fixture = Fixture(isRequired: isRequired)
    fixture.handle(.begin)
    #expect(fixture.handle(.mustEnd(overdue)) == [.cancel])
    #expect(fixture.advanceToDeadline() == [.abandon, .report(overdue)])
    #expect(fixture.supervision.phase == .blocked && fixture.supervision.isInsideCall)
    return fixture
  }

  @Test func `an overdue instance is cancelled and abandoned; when it returns, the plugin restarts`() {
    var fixture = Self.blocked()
    #expect(fixture.advanceToDeadline() == [] && fixture.supervision.phase == .blocked)
    #expect(fixture.handle(.returned) == [] && fixture.supervision.phase == .waiting)
    #expect(fixture.wait <= .seconds(1))
    #expect(fixture.advanceToDeadline() == [.start])
    #expect(fixture.supervision.restartCount == 1 && fixture.supervision.abandonedCount == 1)
  }

  @Test func `new settings do not start a second instance while an abandoned instance is inside a call`() {
    var fixture = Self.blocked()
    #expect(fixture.handle(.replace) == [] && fixture.supervision.phase == .blocked)
    #expect(fixture.handle(.returned) == [.start])
  }

  @Test func `new settings do not start a second instance if the blocked plugin failed permanently`() {
    var fixture = Self.blocked()
    #expect(fixture.handle(.mustEnd(Self.closed)) == [.report(Self.closed)])
    #expect(fixture.supervision.phase == .failed(Self.closed))
    #expect(fixture.handle(.replace) == [] && fixture.supervision.phase == .blocked)
    #expect(fixture.handle(.returned) == [.start])
  }

  @Test func `a stop, a cancel or the end of the input does not wait for a blocked instance`() {
    for event in [Event.stop, .cancel] {
      var fixture = Self.blocked()
      #expect(fixture.handle(event) == [] && fixture.supervision.phase == .stopped)
      #expect(fixture.handle(.returned) == [] && fixture.supervision.phase == .stopped)
    }
    var fixture = Self.blocked()
    #expect(fixture.handle(.finish(hasInput: true)) == [])
    #expect(fixture.supervision.phase == .failed(Self.overdue))
  }

  @Test func `new settings start a new instance only after the old instance has ended`() {
    var fixture = Fixture()
    fixture.handle(.begin)
    #expect(fixture.handle(.replace) == [.endInput])
    #expect(fixture.handle(.replace) == [])
    #expect(fixture.handle(.ended(nil)) == [.start])
    fixture.handle(.ended(Self.broken))
    #expect(fixture.handle(.replace) == [.start])
  }

  /// A plugin that is stopped while its old instance ends because of new settings.
  private static func stopReplaced(hasInput: Bool) -> Fixture {
    var fixture = Fixture(stop: StopPolicy(drain: .seconds(4), cancel: .seconds(2)))
    fixture.handle(.begin)
    fixture.handle(.replace)
    #expect(fixture.handle(.finish(hasInput: hasInput)) == [])
    #expect(fixture.handle(.stop) == [] && fixture.supervision.phase == .ending)
    return fixture
  }

  @Test func `a plugin stopped during its replacement starts one more instance to drain its queue`() {
    var fixture = Self.stopReplaced(hasInput: true)
    #expect(fixture.wait == .seconds(2))
    #expect(fixture.advanceToDeadline() == [.cancel] && fixture.wait == .seconds(1))
    #expect(fixture.handle(.replace) == [] && fixture.handle(.stop) == [])
    #expect(fixture.handle(.ended(Self.broken)) == [.start, .endInput])
    #expect(fixture.wait == .seconds(2))
    let late = PluginError(.transient(), "", why: "still running 2.0 seconds after the end of its input")
    #expect(fixture.advanceToDeadline() == [.report(late), .cancel])
    #expect(fixture.wait == .seconds(1))
    #expect(fixture.handle(.ended(nil)) == [] && fixture.supervision.phase == .stopped)

    fixture = Self.stopReplaced(hasInput: false)
    #expect(fixture.handle(.ended(nil)) == [] && fixture.supervision.phase == .stopped)
    fixture = Self.stopReplaced(hasInput: true)
    #expect(fixture.handle(.cancel) == [.cancel])
    #expect(fixture.handle(.ended(nil)) == [] && fixture.supervision.phase == .stopped)
  }

  @Test func `a plugin stopped during its replacement reports an error if the old instance does not end`() {
    var fixture = Self.stopReplaced(hasInput: true)
    #expect(fixture.advanceToDeadline() == [.cancel])
    let error = PluginError(.transient(), "", why: "the previous instance did not end, so no new one was started")
    #expect(fixture.advanceToDeadline() == [.abandon, .report(error)])
    #expect(fixture.supervision.phase == .stopped)
  }

  @Test func `the reason for a forced end is reported once if a stop arrives before the instance has ended`() {
    for event in [Event.stop, .cancel] {
      var fixture = Fixture()
      fixture.handle(.begin)
      #expect(fixture.handle(.mustEnd(Self.overdue)) == [.cancel])
      #expect(fixture.handle(event) == [.report(Self.overdue)])
      #expect(fixture.handle(event) == [])
      #expect(fixture.handle(.ended(Self.broken)) == [] && fixture.supervision.phase == .stopped)
    }
  }

  @Test func `an error after the end of the input is reported; an error after a cancel is not`() {
    var fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.replace)
    #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken), .start])
    fixture.handle(.cancel)
    #expect(fixture.handle(.ended(Self.broken)) == [])
    #expect(fixture.supervision.phase == .stopped)
  }

  @Test func `at the end of the input, a plugin waiting to restart is restarted at once to drain its queue`() {
    var fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.ended(Self.broken))
    #expect(fixture.handle(.finish(hasInput: true)) == [.start])
    #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(fixture.supervision.isFinished)

    fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.ended(Self.broken))
    #expect(fixture.handle(.finish(hasInput: false)) == [])
    #expect(fixture.supervision.phase == .stopped)
  }

  @Test func `at the end of the input, a plugin that requested a delay is not restarted`() {
    let busy = PluginError(.transient(retryAfter: .seconds(90)), "ask", why: "busy")
    var fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.ended(busy))
    #expect(fixture.handle(.finish(hasInput: true)) == [] && fixture.supervision.phase == .stopped)
    // The requested delay applies only to that error, not to later errors.
    fixture = Fixture()
    fixture.handle(.begin)
    fixture.handle(.ended(busy))
    #expect(fixture.advanceToDeadline() == [.start])
    fixture.handle(.ended(Self.broken))
    #expect(fixture.handle(.finish(hasInput: true)) == [.start])
  }

  @Test func `a removed plugin does not end the run when it fails, even if it is required`() {
    var fixture = Fixture(isRequired: true)
    fixture.handle(.begin)
    #expect(fixture.remove() == [.endInput])
    #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(fixture.supervision.phase == .stopped)

    fixture = Fixture(isRequired: true)
    fixture.handle(.begin)
    fixture.handle(.ended(Self.broken))
    #expect(fixture.remove() == [.start, .endInput])
    #expect(fixture.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(fixture.supervision.phase == .stopped)
  }

  @Test func `in random event sequences, each instance of a plugin ends before the next instance starts`() {
    var dice = SeededGenerator(seed: 8)
    var (starts, abandons) = (0, 0)
    for _ in 0..<4000 {
      let isRequired = Bool.random(using: &dice)
      var fixture = Fixture(Int.random(in: 0..<8, using: &dice) == 0 ? .never : RestartPolicy(), isRequired: isRequired)
      var (isRunning, isInsideCall) = (false, false)
      for _ in 0..<40 {
        let before = fixture.supervision.phase
        var event = Event.timer
        switch Int.random(in: 0..<14, using: &dice) {
        case 0: event = .begin
        // Only a running instance can end.
        case 1...3:
          let endsNormally = Int.random(in: 0..<6, using: &dice) == 0
          if isRunning { event = .ended(endsNormally ? nil : Self.broken) }
        case 4: if isRunning { event = .ended(Self.closed) }
        case 5: event = .mustEnd(Bool.random(using: &dice) ? Self.broken : Self.closed)
        case 6: event = .replace
        case 7: event = .finish(hasInput: Bool.random(using: &dice))
        // Only an abandoned instance can return.
        case 8: if isInsideCall { event = .returned }
        case 9: if Int.random(in: 0..<8, using: &dice) == 0 { event = .stop }
        case 10: if Int.random(in: 0..<8, using: &dice) == 0 { event = .cancel }
        default: fixture.now += max(fixture.wait, .zero)
        }
        if case .ended = event { isRunning = false }
        if event == .returned { isInsideCall = false }
        for action in fixture.handle(event) {
          switch action {
          case .start:
            #expect(!isRunning && !isInsideCall, "\(before) \(event)")
            isRunning = true
            starts += 1
          case .abandon:
            #expect(isRunning, "\(before) \(event)")
            (isRunning, isInsideCall) = (false, true)
            abandons += 1
          case .endInput, .cancel: #expect(isRunning, "\(before) \(event)")
          case .report: break
          case .endRun: #expect(isRequired)
          }
        }
        let supervision = fixture.supervision
        #expect(isRunning == [.running, .ending].contains(supervision.phase))
        #expect(supervision.isInsideCall == isInsideCall)
        if supervision.phase == .blocked { #expect(isInsideCall, "\(before) \(event)") }
        if supervision.phase == .waiting {
          #expect(fixture.wait <= .seconds(300) && supervision.deadline != nil)
        }
        if before == .stopped { #expect(supervision.phase == .stopped) }
      }
      // In every state, a cancel and the expiry of the stop deadlines end the plugin.
      fixture.handle(.cancel)
      fixture.advanceToDeadline()
      #expect(fixture.supervision.isFinished)
    }
    #expect(starts > 8000 && abandons > 300, "\(starts), \(abandons)")
  }
}
