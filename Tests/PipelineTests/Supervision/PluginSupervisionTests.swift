// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Testing

/// When a plugin is started, stopped, started again or left out.
@Suite struct PluginSupervisionTests {
  private typealias Event = PluginSupervision.Event
  private typealias Action = PluginSupervision.Action

  private static let broken = PluginError(.transient(), "write", why: "disk full")
  private static let closed = PluginError(.permanent, "write", why: "closed")

  /// A supervision with its dice, and the timer that was started last.
  private struct Bench {
    var supervision: PluginSupervision
    var dice = SeededGenerator(seed: 1)
    var timer: (number: UInt64, duration: Duration) = (0, .zero)

    init(
      _ restart: RestartPolicy = RestartPolicy(), stop: StopPolicy = StopPolicy(),
      isRequired: Bool = false
    ) {
      supervision = PluginSupervision(restart: restart, stop: stop, isRequired: isRequired)
    }

    /// Without the timers, which are remembered.
    @discardableResult
    mutating func handle(_ event: Event) -> [Action] {
      supervision.handle(event, using: &dice).filter {
        guard case .startTimer(let number, let duration) = $0 else { return true }
        timer = (number, duration)
        return false
      }
    }

    mutating func timerOver() -> [Action] { handle(.timerOver(timer.number)) }
  }

  @Test("waits longer after each failure, up to the most, and forgets them after a healthy while")
  func backOff() {
    var bench = Bench(RestartPolicy(first: .seconds(1), most: .seconds(20)))
    #expect(bench.handle(.begin) == [.start])
    for most in [1.0, 2, 4, 8, 16, 20, 20] {
      let told = bench.handle(.ended(Self.broken))
      #expect(told == [.tell(Self.broken, retryIn: bench.timer.duration)])
      #expect((.seconds(most / 2) ... .seconds(most)).contains(bench.timer.duration))
      #expect(bench.timerOver() == [.start])
    }
    #expect(bench.timer.duration == .seconds(60))
    #expect(bench.timerOver() == [])
    bench.handle(.ended(Self.broken))
    #expect(bench.timer.duration <= .seconds(1))
    #expect(bench.supervision.restartCount == 7)
  }

  @Test("what has proved nothing yet is given longer, and its failures are not forgotten")
  func unproven() {
    var bench = Bench(RestartPolicy(first: .seconds(1), most: .seconds(20)))
    bench.handle(.begin)
    bench.handle(.ended(Self.broken))
    #expect(bench.timerOver() == [.start] && bench.timer.duration == .seconds(60))
    let before = bench.timer.number
    #expect(bench.handle(.unproven(before, lacking: .seconds(7))) == [])
    #expect(bench.timer.duration == .seconds(7) && bench.timer.number != before)
    // Not in tiny steps, where a call that hangs began just before.
    bench.handle(.unproven(bench.timer.number, lacking: .nanoseconds(1)))
    #expect(bench.timer.duration == .seconds(1))
    // One that was overtaken means nothing.
    #expect(bench.handle(.timerOver(before)) == [])
    bench.handle(.ended(Self.broken))
    #expect(bench.timer.duration >= .seconds(1))
    bench.handle(.stop)
    #expect(bench.handle(.unproven(bench.timer.number, lacking: .seconds(7))) == [])
    #expect(bench.supervision.phase == .stopped)
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
    #expect(bench.timer.duration == waited)
  }

  @Test("a retry that is asked for at once, or before now, is no reason to hurry")
  func retryAtOnce() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(PluginError(.transient(retryAfter: .seconds(-9)), "ask", why: "busy")))
    #expect(bench.timer.duration >= .milliseconds(500))
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
        == [.tell(error, retryIn: nil)] + (isRequired ? [.stopAll(error)] : []))
    #expect(bench.supervision.phase == .failed(error))
    #expect(bench.handle(.begin) == [] && bench.handle(.ended(Self.broken)) == [])
    // New settings are a new beginning.
    #expect(bench.handle(.replace) == [.start])
  }

  @Test("where nothing is started again, the first failure is the last")
  func never() {
    var bench = Bench(.never)
    bench.handle(.begin)
    #expect(bench.handle(.ended(Self.broken)) == [.tell(Self.broken, retryIn: nil)])
    #expect(bench.supervision.phase == .failed(Self.broken))
  }

  @Test("what is to stop sees the end of its input, is then cancelled, and then abandoned")
  func stop() {
    var bench = Bench(stop: StopPolicy(drain: .seconds(3), cancel: .seconds(2)))
    bench.handle(.begin)
    #expect(bench.handle(.stop) == [.endInput] && bench.timer.duration == .seconds(3))
    let late = PluginError(
      .transient(), "", why: "had not ended 3.0 seconds after the end of its input")
    #expect(bench.timerOver() == [.tell(late, retryIn: nil), .cancel])
    #expect(bench.timer.duration == .seconds(2))
    #expect(bench.timerOver() == [.abandon])
    #expect(bench.supervision.phase == .stopped && bench.supervision.abandonedCount == 1)
    #expect(bench.handle(.stop) == [] && bench.handle(.begin) == [])
  }

  @Test("what fails while it is to stop is told, and what a cancel brings about is not")
  func stopFails() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.stop)
    #expect(bench.handle(.ended(Self.broken)) == [.tell(Self.broken, retryIn: nil)])
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
    #expect(bench.handle(.condemned(overdue)) == [.cancel])
    #expect(bench.timerOver() == [.abandon, .tell(overdue, retryIn: nil)])
    #expect(bench.supervision.phase == .blocked && bench.supervision.isInsideCall)
    return bench
  }

  @Test("what does not come back is cancelled, abandoned, and started again when it has come back")
  func overdue() {
    var bench = Self.blocked()
    #expect(bench.timerOver() == [] && bench.supervision.phase == .blocked)
    #expect(bench.handle(.returned) == [] && bench.supervision.phase == .waiting)
    #expect(bench.timer.duration <= .seconds(1))
    #expect(bench.timerOver() == [.start])
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
    #expect(bench.handle(.condemned(Self.closed)) == [.tell(Self.closed, retryIn: nil)])
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
    #expect(bench.timer.duration == .seconds(2))
    #expect(bench.timerOver() == [.cancel] && bench.timer.duration == .seconds(1))
    #expect(bench.handle(.replace) == [] && bench.handle(.stop) == [])
    #expect(bench.handle(.ended(Self.broken)) == [.start, .endInput])
    #expect(bench.timer.duration == .seconds(2))
    let late = PluginError(
      .transient(), "", why: "had not ended 2.0 seconds after the end of its input")
    #expect(bench.timerOver() == [.tell(late, retryIn: nil), .cancel])
    #expect(bench.timer.duration == .seconds(1))
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
    #expect(bench.timerOver() == [.cancel])
    let error = PluginError(
      .transient(), "", why: "the instance before did not end, and no other could be started")
    #expect(bench.timerOver() == [.abandon, .tell(error, retryIn: nil)])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("why it must not go on is told once, where it is to stop before it has ended")
  func stopCondemned() {
    for event in [Event.stop, .cancel] {
      var bench = Bench()
      bench.handle(.begin)
      #expect(bench.handle(.condemned(Self.overdue)) == [.cancel])
      #expect(bench.handle(event) == [.tell(Self.overdue, retryIn: nil)])
      #expect(bench.handle(event) == [])
      #expect(bench.handle(.ended(Self.broken)) == [] && bench.supervision.phase == .stopped)
    }
  }

  @Test("who could not end whole is heard, and who was cancelled is not")
  func endedWithError() {
    var bench = Bench()
    bench.handle(.begin)
    bench.handle(.replace)
    #expect(bench.handle(.ended(Self.broken)) == [.tell(Self.broken, retryIn: nil), .start])
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
    #expect(bench.handle(.ended(Self.broken)) == [.tell(Self.broken, retryIn: nil)])
    #expect(bench.supervision.isOver)

    bench = Bench()
    bench.handle(.begin)
    bench.handle(.ended(Self.broken))
    #expect(bench.handle(.finish(hasInput: false)) == [])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("at the end what asks to be left alone is not tried once more: what waits is lost")
  func finishLeftAlone() {
    let busy = PluginError(.transient(retryAfter: .seconds(90)), "ask", why: "busy")
    for event in [Event.finish(hasInput: true), .leave(hasInput: true)] {
      var bench = Bench()
      bench.handle(.begin)
      bench.handle(.ended(busy))
      #expect(bench.handle(event) == [] && bench.supervision.phase == .stopped)
      // Said once, and not for all that comes after.
      bench = Bench()
      bench.handle(.begin)
      bench.handle(.ended(busy))
      #expect(bench.timerOver() == [.start])
      bench.handle(.ended(Self.broken))
      #expect(bench.handle(event).first == .start)
    }
  }

  @Test("what is not wanted any more ends nothing with it, required or not")
  func leave() {
    var bench = Bench(isRequired: true)
    bench.handle(.begin)
    #expect(bench.handle(.leave(hasInput: true)) == [.endInput])
    #expect(bench.handle(.ended(Self.broken)) == [.tell(Self.broken, retryIn: nil)])
    #expect(bench.supervision.phase == .stopped)

    bench = Bench(isRequired: true)
    bench.handle(.begin)
    bench.handle(.ended(Self.broken))
    #expect(bench.handle(.leave(hasInput: true)) == [.start, .endInput])
    #expect(bench.handle(.ended(Self.broken)) == [.tell(Self.broken, retryIn: nil)])
    #expect(bench.supervision.phase == .stopped)
  }

  @Test("whatever happens, one instance runs at most, and each is ended before the next")
  func property() {
    var dice = SeededGenerator(seed: 8)
    var (starts, abandons, ends) = (0, 0, 0)
    for _ in 0..<4000 {
      let isRequired = Bool.random(using: &dice)
      var bench = Bench(
        Int.random(in: 0..<8, using: &dice) == 0 ? .never : RestartPolicy(),
        isRequired: isRequired)
      var isRunning = false
      var isInsideCall = false
      var stopAlls = 0
      for _ in 0..<40 {
        let before = bench.supervision.phase
        let event: Event =
          switch Int.random(in: 0..<15, using: &dice) {
          case 0: .begin
          case 1: .unproven(bench.timer.number, lacking: .seconds(3))
          // Only what runs can end.
          case 2...4:
            isRunning
              ? .ended(Int.random(in: 0..<6, using: &dice) == 0 ? nil : Self.broken) : .begin
          case 5: isRunning ? .ended(Self.closed) : .begin
          case 6: .condemned(Bool.random(using: &dice) ? Self.broken : Self.closed)
          case 7...9: .timerOver(bench.timer.number)
          // One that was overtaken.
          case 10: .timerOver(bench.timer.number &- 1)
          case 11: .replace
          case 12: .finish(hasInput: Bool.random(using: &dice))
          // Only what was abandoned can come back.
          case 13: isInsideCall ? .returned : .begin
          default:
            switch Int.random(in: 0..<12, using: &dice) {
            case 0: Bool.random(using: &dice) ? .stop : .leave(hasInput: true)
            case 1: .cancel
            default: .timerOver(bench.timer.number)
            }
          }
        if case .ended = event { isRunning = false }
        if event == .returned { isInsideCall = false }
        let isStale = event == .timerOver(bench.timer.number &- 1)
        for action in bench.handle(event) {
          switch action {
          case .start:
            #expect(!isRunning && !isInsideCall, "\(before) \(event)")
            isRunning = true
            starts += 1
          case .abandon:
            #expect(isRunning, "\(before) \(event)")
            isRunning = false
            isInsideCall = true
            abandons += 1
          case .endInput, .cancel: #expect(isRunning, "\(before) \(event)")
          case .tell(_, let delay?):
            #expect(delay > .zero && delay <= .seconds(300) && bench.timer.duration == delay)
            #expect(bench.supervision.phase == .waiting)
          case .tell(let error, nil):
            // Who was to end anyway is told of as well, whatever comes next.
            let phase = bench.supervision.phase
            #expect(
              before == .ending || [.failed(error), .blocked, .ending, .stopped].contains(phase))
          case .stopAll:
            #expect(isRequired)
            stopAlls += 1
          case .startTimer: Issue.record("taken out above")
          }
        }
        if isStale { #expect(bench.supervision.phase == before) }
        #expect(isRunning == [.running, .ending].contains(bench.supervision.phase))
        #expect(bench.supervision.isInsideCall == isInsideCall)
        if bench.supervision.phase == .blocked { #expect(isInsideCall, "\(before) \(event)") }
        if before == .stopped { #expect(bench.supervision.phase == .stopped) }
      }
      // Whatever it was doing, a cancel and its deadlines end it.
      bench.handle(.cancel)
      _ = bench.timerOver()
      #expect(bench.supervision.isOver)
      ends += 1
    }
    #expect(starts > 8000 && abandons > 300 && ends == 4000, "\(starts), \(abandons)")
  }
}
