// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

/// What one reader after the other is given by a mailbox; nobody here ever has to wait.
@Suite("Mailbox", .timeLimit(.minutes(5)))
struct MailboxTests {
  private static func event(_ name: String) -> ErrorEvent {
    ErrorEvent(source: name, message: "")
  }

  /// A mailbox with events of these names, read by reader 1, who writes several together.
  private static func mailbox(_ policy: MailboxPolicy, _ names: [String]) -> Mailbox {
    let mailbox = Mailbox(policy)
    for name in names { _ = mailbox.send(event(name)) }
    read(mailbox, 1)
    return mailbox
  }

  private static func read(_ mailbox: Mailbox, _ reader: UInt64) {
    mailbox.beginReading(reader)
    mailbox.beginBatches(for: reader)
  }

  private static func nextName(_ mailbox: Mailbox, _ reader: UInt64) async -> String? {
    (await mailbox.next(for: reader) as? ErrorEvent)?.source
  }

  private static func nextWake(_ mailbox: Mailbox, _ reader: UInt64) async -> WakeEvent? {
    await mailbox.next(for: reader) as? WakeEvent
  }

  @Test("what is laid by stays with its reader until it is written, and only that is settled")
  func settle() async {
    let mailbox = Self.mailbox(.spill(limit: 9), ["a", "b", "c"])
    #expect(await Self.nextName(mailbox, 1) == "a")
    #expect(mailbox.settle(1, keeping: 1) == 0 && mailbox.laidByCount == 1)
    #expect(await Self.nextName(mailbox, 1) == "b")
    #expect(mailbox.laidByCount == 1)
    // Of somebody else it is none.
    #expect(mailbox.settle(2, keeping: 0) == 0)
    #expect(mailbox.settle(1, keeping: 0) == 2 && mailbox.laidByCount == 0)
    #expect(mailbox.depth == 1)
  }

  @Test("what was put back comes again first and in order, and is written as soon as all has come")
  func putBack() async {
    let mailbox = Self.mailbox(.spill(limit: 9), ["a", "b", "c"])
    for name in ["a", "b"] { #expect(await Self.nextName(mailbox, 1) == name) }
    mailbox.putBack(from: 1)
    #expect(mailbox.depth == 3 && mailbox.lostCount == 0)
    Self.read(mailbox, 2)
    for name in ["a", "b"] { #expect(await Self.nextName(mailbox, 2) == name) }
    let wake = await Self.nextWake(mailbox, 2)
    #expect(wake?.writesNow == true && wake?.isTimerOver == false)
    #expect(await Self.nextName(mailbox, 2) == "c")
    #expect(await Self.nextName(mailbox, 1) == nil)
  }

  @Test("a timer that is over while the last of it is dealt with is told as well")
  func timerOverMeanwhile() async {
    let mailbox = Self.mailbox(.spill(limit: 9), ["a"])
    #expect(await Self.nextName(mailbox, 1) == "a")
    mailbox.putBack(from: 1)
    Self.read(mailbox, 2)
    #expect(await Self.nextName(mailbox, 2) == "a")
    mailbox.wake(2)
    let wake = await Self.nextWake(mailbox, 2)
    #expect(wake?.isTimerOver == true && wake?.writesNow == true)
  }

  @Test("a timer that is over is told once, before the next event, and to its own reader alone")
  func wake() async {
    let mailbox = Self.mailbox(.spill(limit: 9), ["a"])
    mailbox.wake(2)
    mailbox.wake(1)
    mailbox.wake(1)
    let wake = await Self.nextWake(mailbox, 1)
    #expect(wake?.isTimerOver == true && wake?.writesNow == false)
    #expect(await Self.nextName(mailbox, 1) == "a")
  }

  @Test("what one who is given up holds is lost at once, unless nothing may be lost")
  func lose() async {
    let view = Self.mailbox(.dropOldest(limit: 9), ["a", "b"])
    for name in ["a", "b"] { #expect(await Self.nextName(view, 1) == name) }
    view.lose(1, isFinal: false)
    #expect(view.lostCount == 2)

    let track = Self.mailbox(.spill(limit: 9), ["a", "b"])
    #expect(await Self.nextName(track, 1) == "a")
    track.lose(1, isFinal: false)
    #expect(track.lostCount == 0)
    track.lose(1, isFinal: true)
    #expect(track.lostCount == 1 && track.depth == 1)
  }
}
