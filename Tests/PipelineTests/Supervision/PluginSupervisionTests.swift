// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Pipeline

/// When a plugin is started, stopped, started again or left out.
@Suite struct PluginSupervisionTests {
  private typealias Event = PluginSupervision.Event
  private typealias Action = PluginSupervision.Action

  private static let broken = PluginError(.transient(), "write", why: "disk full")
  private static let closed = PluginError(.permanent, "write", why: "closed")

  /// A supervision with its dice and its clock.
  private struct Bench {
    var supervision: PluginSupervision
    var dice = SeededGenerator(seed: 1)
    var now = Duration.zero

    init(
      _ restart: RestartPolicy = RestartPolicy(), stop: StopPolicy = StopPolicy(),
      isRequired: Bool = false
    ) {
      supervision = PluginSupervision(restart: restart, stop: stop, isRequired: isRequired)
    }

    /// How long until the deadline.
    var wait: Duration { (supervision.deadline ?? now) - now }

    @discardableResult
    mutating func handle(_ event: Event) -> [Action] {
      supervision.handle(event, at: now, using: &dice)
    }

    /// Moves the clock to the deadline.
    @discardableResult
    mutating func deadlineOver() -> [Action] {
      now += max(wait, .zero)
      return handle(.timer)
    }

    /// Removes the plugin.
    mutating func leave() -> [Action] { handle(.finish(hasInput: true)) + handle(.stop) }
  }

  @Test("waits longer after each failure, up to the most, and less when failures are forgotten")
  func backOff() {
    var bench = Bench(RestartPolicy(first: .seconds(1), most: .seconds(20)))
    #expect(bench.handle(.begin) == [.start])
    for most in [1.0, 2, 4, 8, 16, 20, 20] {
      #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken)])
      #expect((.seconds(most / 2) ... .seconds(most)).contains(bench.wait))
      #expect(bench.handle(.timer) == [] && bench.deadlineOver() == [.start])
    }
    bench.supervision.forgetFailures()
    bench.handle(.ended(Self.broken))
    #expect(bench.wait <= .seconds(1))
    #expect(bench.supervision.restartCount == 7)
  }

  @Test(
    "leaves alone for as long as was asked for, but not for ever",
    arguments: [
      (Duration.seconds(3600), Duration.seconds(3600)), (.seconds(1 << 40), .seconds(86_400)),
    ])
  func retryAfter(asked: Duration, waited: Duration) {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(PluginError(.transient(retryAfter: asked), "ask", why: "busy")))
    #expect(bench.wait == waited)
  }

  @Test("a retry that is asked for at once, or before now, is no reason to hurry")
  func retryAtOnce() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(PluginError(.transient(retryAfter: .seconds(-9)), "ask", why: "busy")))
    #expect(bench.wait >= .milliseconds(500))
  }

  @Test(
    "leaves out what is wrong for good, and ends the run where it is required",
    arguments: [PluginError.Kind.permanent, .unsupported, .configuration], [false, true])
  func permanent(kind: PluginError.Kind, isRequired: Bool) {
    var bench = Bench(isRequired: isRequired)
    let error = PluginError(kind, "write", why: "no")
    bench.handle(.begin)
    #expect(
      bench.handle(.ended(error))
        == [.report(error)] + (isRequired ? [.endRun(error)] : []))
    #expect(bench.supervision.phase == .failed(error))
    #expect(bench.handle(.begin) == [] && bench.handle(.ended(Self.broken)) == [])
    // New settings are a new beginning.
    #expect(bench.handle(.replace) == [.start])
  }

  @Test("where nothing is started again, the first failure is the last")
  func never() {
    var bench = Bench(.never)
    bench.handle(.begin)
    #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(bench.supervision.phase == .failed(Self.broken))
  }

  @Test("what is to stop sees the end of its input, is then cancelled, and then abandoned")
  func stop() {
    var bench = Bench(stop: StopPolicy(drain: .seconds(3), cancel: .seconds(2)))
    bench.handle(.begin)
    #expect(bench.handle(.stop) == [.endInput] && bench.wait == .seconds(3))
    let late = PluginError(
      .transient(), "", why: "had not ended 3.0 seconds after the end of its input")
    #expect(bench.deadlineOver() == [.report(late), .cancel])
    #expect(bench.wait == .seconds(2))
    #expect(bench.deadlineOver() == [.abandon])
    #expect(bench.supervision.phase == .stopped && bench.supervision.abandonedCount == 1)
    #expect(bench.handle(.stop) == [] && bench.handle(.begin) == [])
  }

  @Test("what fails while it is to stop is told, and what a cancel brings about is not")
  func stopFails() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.stop)
    #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(bench.supervision.phase == .stopped)
    bench = Bench()
    bench.handle(.begin)
    bench.handle(.cancel)
    #expect(bench.handle(.ended(Self.broken)) == [] && bench.supervision.phase == .stopped)
  }

  private static let overdue = PluginError(.transient(), "receive", why: "took more than 10 s")

  /// One whose instance was abandoned for being overdue.
  private static func blocked(isRequired: Bool = false) -> Bench {
    var bench = Bench(isRequired: isRequired)
    bench.handle(.begin)
    #expect(bench.handle(.mustEnd(overdue)) == [.cancel])
    #expect(bench.deadlineOver() == [.abandon, .report(overdue)])
    #expect(bench.supervision.phase == .blocked && bench.supervision.isInsideCall)
    return bench
  }

  @Test("what does not come back is cancelled, abandoned, and started again when it has come back")
  func overdue() {
    var bench = Self.blocked()
    #expect(bench.deadlineOver() == [] && bench.supervision.phase == .blocked)
    #expect(bench.handle(.returned) == [] && bench.supervision.phase == .waiting)
    #expect(bench.wait <= .seconds(1))
    #expect(bench.deadlineOver() == [.start])
    #expect(bench.supervision.restartCount == 1 && bench.supervision.abandonedCount == 1)
  }

  @Test("new settings are no reason for a second instance beside one that is inside a call")
  func replaceBlocked() {
    var bench = Self.blocked()
    #expect(bench.handle(.replace) == [] && bench.supervision.phase == .blocked)
    #expect(bench.handle(.returned) == [.start])
  }

  @Test("nor are they where it was left out meanwhile")
  func replaceLeftOut() {
    var bench = Self.blocked()
    #expect(bench.handle(.mustEnd(Self.closed)) == [.report(Self.closed)])
    #expect(bench.supervision.phase == .failed(Self.closed))
    #expect(bench.handle(.replace) == [] && bench.supervision.phase == .blocked)
    #expect(bench.handle(.returned) == [.start])
  }

  @Test("nobody waits for what is blocked: not a stop, not a cancel, not the end of the input")
  func endBlocked() {
    for event in [Event.stop, .cancel] {
      var bench = Self.blocked()
      #expect(bench.handle(event) == [] && bench.supervision.phase == .stopped)
      #expect(bench.handle(.returned) == [] && bench.supervision.phase == .stopped)
    }
    var bench = Self.blocked()
    #expect(bench.handle(.finish(hasInput: true)) == [])
    #expect(bench.supervision.phase == .failed(Self.overdue))
  }

  @Test("new settings start an instance when the old one has ended, and no sooner")
  func replace() {
    var bench = Bench()
    bench.handle(.begin)
    #expect(bench.handle(.replace) == [.endInput])
    #expect(bench.handle(.replace) == [])
    #expect(bench.handle(.ended(nil)) == [.start])
    bench.handle(.ended(Self.broken))
    #expect(bench.handle(.replace) == [.start])
  }

  /// One that is to stop, having waited for an instance to end for new settings.
  private static func stopReplaced(hasInput: Bool) -> Bench {
    var bench = Bench(stop: StopPolicy(drain: .seconds(4), cancel: .seconds(2)))
    bench.handle(.begin)
    bench.handle(.replace)
    #expect(bench.handle(.finish(hasInput: hasInput)) == [])
    #expect(bench.handle(.stop) == [] && bench.supervision.phase == .ending)
    return bench
  }

  @Test("what waits for new settings when it is to stop is for one more instance, in the same time")
  func stopReplaced() {
    var bench = Self.stopReplaced(hasInput: true)
    #expect(bench.wait == .seconds(2))
    #expect(bench.deadlineOver() == [.cancel] && bench.wait == .seconds(1))
    #expect(bench.handle(.replace) == [] && bench.handle(.stop) == [])
    #expect(bench.handle(.ended(Self.broken)) == [.start, .endInput])
    #expect(bench.wait == .seconds(2))
    let late = PluginError(
      .transient(), "", why: "had not ended 2.0 seconds after the end of its input")
    #expect(bench.deadlineOver() == [.report(late), .cancel])
    #expect(bench.wait == .seconds(1))
    #expect(bench.handle(.ended(nil)) == [] && bench.supervision.phase == .stopped)

    bench = Self.stopReplaced(hasInput: false)
    #expect(bench.handle(.ended(nil)) == [] && bench.supervision.phase == .stopped)
    bench = Self.stopReplaced(hasInput: true)
    #expect(bench.handle(.cancel) == [.cancel])
    #expect(bench.handle(.ended(nil)) == [] && bench.supervision.phase == .stopped)
  }

  @Test("where the instance before does not come back, that nobody gets what waits is told")
  func stopReplacedDeaf() {
    var bench = Self.stopReplaced(hasInput: true)
    #expect(bench.deadlineOver() == [.cancel])
    let error = PluginError(
      .transient(), "", why: "the instance before did not end, and no other could be started")
    #expect(bench.deadlineOver() == [.abandon, .report(error)])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("why it must not go on is told once, where it is to stop before it has ended")
  func stopCondemned() {
    for event in [Event.stop, .cancel] {
      var bench = Bench()
      bench.handle(.begin)
      #expect(bench.handle(.mustEnd(Self.overdue)) == [.cancel])
      #expect(bench.handle(event) == [.report(Self.overdue)])
      #expect(bench.handle(event) == [])
      #expect(bench.handle(.ended(Self.broken)) == [] && bench.supervision.phase == .stopped)
    }
  }

  @Test("who could not end whole is heard, and who was cancelled is not")
  func endedWithError() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.replace)
    #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken), .start])
    bench.handle(.cancel)
    #expect(bench.handle(.ended(Self.broken)) == [])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("at the end of the input what waits is tried once more")
  func finish() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(Self.broken))
    #expect(bench.handle(.finish(hasInput: true)) == [.start])
    #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(bench.supervision.isFinished)

    bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(Self.broken))
    #expect(bench.handle(.finish(hasInput: false)) == [])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("at the end what asks to be left alone is not tried once more: what waits is lost")
  func finishLeftAlone() {
    let busy = PluginError(.transient(retryAfter: .seconds(90)), "ask", why: "busy")
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(busy))
    #expect(bench.handle(.finish(hasInput: true)) == [] && bench.supervision.phase == .stopped)
    // The wait was for that error only, and not for all that come after.
    bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(busy))
    #expect(bench.deadlineOver() == [.start])
    bench.handle(.ended(Self.broken))
    #expect(bench.handle(.finish(hasInput: true)) == [.start])
  }

  @Test("what is not wanted any more ends nothing with it, required or not")
  func leave() {
    var bench = Bench(isRequired: true)
    bench.handle(.begin)
    #expect(bench.leave() == [.endInput])
    #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(bench.supervision.phase == .stopped)

    bench = Bench(isRequired: true)
    bench.handle(.begin)
    bench.handle(.ended(Self.broken))
    #expect(bench.leave() == [.start, .endInput])
    #expect(bench.handle(.ended(Self.broken)) == [.report(Self.broken)])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("whatever happens, one instance runs at most, and each is ended before the next")
  func property() {
    var dice = SeededGenerator(seed: 8)
    var (starts, abandons) = (0, 0)
    for _ in 0..<4000 {
      let isRequired = Bool.random(using: &dice)
      var bench = Bench(
        Int.random(in: 0..<8, using: &dice) == 0 ? .never : RestartPolicy(),
        isRequired: isRequired)
      var (isRunning, isInsideCall) = (false, false)
      for _ in 0..<40 {
        let before = bench.supervision.phase
        var event = Event.timer
        switch Int.random(in: 0..<14, using: &dice) {
        case 0: event = .begin
        // Only what runs can end.
        case 1...3:
          let isWell = Int.random(in: 0..<6, using: &dice) == 0
          if isRunning { event = .ended(isWell ? nil : Self.broken) }
        case 4: if isRunning { event = .ended(Self.closed) }
        case 5: event = .mustEnd(Bool.random(using: &dice) ? Self.broken : Self.closed)
        case 6: event = .replace
        case 7: event = .finish(hasInput: Bool.random(using: &dice))
        // Only what was abandoned can come back.
        case 8: if isInsideCall { event = .returned }
        case 9: if Int.random(in: 0..<8, using: &dice) == 0 { event = .stop }
        case 10: if Int.random(in: 0..<8, using: &dice) == 0 { event = .cancel }
        default: bench.now += max(bench.wait, .zero)
        }
        if case .ended = event { isRunning = false }
        if event == .returned { isInsideCall = false }
        for action in bench.handle(event) {
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
        let supervision = bench.supervision
        #expect(isRunning == [.running, .ending].contains(supervision.phase))
        #expect(supervision.isInsideCall == isInsideCall)
        if supervision.phase == .blocked { #expect(isInsideCall, "\(before) \(event)") }
        if supervision.phase == .waiting {
          #expect(bench.wait <= .seconds(300) && supervision.deadline != nil)
        }
        if before == .stopped { #expect(supervision.phase == .stopped) }
      }
      // Whatever it was doing, a cancel and its deadlines end it.
      bench.handle(.cancel)
      bench.deadlineOver()
      #expect(bench.supervision.isFinished)
    }
    #expect(starts > 8000 && abandons > 300, "\(starts), \(abandons)")
  }
}
