// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Pipeline

/// Reads of a mailbox by successive readers.
@Suite("Mailbox", .timeLimit(.minutes(5)))
struct MailboxTests {
  private let clock = RecordingClock()
  private let time = MonotonicTime.at(0)

  /// A mailbox with events of these names, read by reader 1.
  private func mailbox(_ policy: MailboxPolicy, _ names: [String]) -> Mailbox {
    let mailbox = Mailbox(policy)
    for name in names { _ = mailbox.send(ErrorEvent(source: name, message: ""), at: time) }
    mailbox.setReader(1)
    return mailbox
  }

  /// Returns the name of the next event, or describes how the wait ended.
  private func next(_ mailbox: Mailbox, _ reader: UInt64, within limit: Duration? = nil) async -> String {
    switch await mailbox.next(for: reader, within: limit, on: clock) {
    case .event(let event): (event as? ErrorEvent)?.source ?? ""
    case .timeout: "timeout"
    case .end: "end"
    }
  }

  @Test func `a wait with a time limit of zero always times out, 20,000 times`() async {
    let mailbox = mailbox(.keepNewest, [])
    for _ in 0..<20_000 {
      guard case .timeout = await mailbox.next(for: 1, within: .zero, on: ContinuousClock()) else {
        Issue.record("the wait ended without a timeout")
        return
      }
    }
  }

  @Test func `a batch stays in the queue until its reader settles it`() async {
    let mailbox = mailbox(.dropNewest(limit: 9), ["a", "b", "c"])
    #expect(await next(mailbox, 1) == "a")
    #expect(mailbox.settle(1, keeping: 1) == 0 && mailbox.batchedCount == 1)
    #expect(await next(mailbox, 1) == "b")
    #expect(mailbox.batchedCount == 1)
    #expect(mailbox.settle(2) == 0)
    #expect(mailbox.settle(1) == 2 && mailbox.batchedCount == 0)
    #expect(mailbox.queue.depth == 1)
  }

  @Test func `events put back are delivered to the next reader, first and in order`() async {
    let mailbox = mailbox(.dropNewest(limit: 9), ["a", "b", "c"])
    for name in ["a", "b"] { #expect(await next(mailbox, 1) == name) }
    mailbox.putBack(from: 1)
    #expect(mailbox.queue.depth == 3 && mailbox.queue.lostCount == 0)
    mailbox.setReader(2)
    for name in ["a", "b", "c"] { #expect(await next(mailbox, 2) == name) }
    #expect(await next(mailbox, 1) == "end")
  }

  @Test func `a wait for an event with a time limit ends with an event or with a timeout`() async {
    let mailbox = mailbox(.dropNewest(limit: 9), [])
    async let timeout = next(mailbox, 1, within: .seconds(5))
    await clock.deadlines.wait { $0 == [.seconds(5)] }
    clock.base.advance(by: .seconds(5))
    #expect(await timeout == "timeout")
    async let name = next(mailbox, 1, within: .seconds(5))
    await clock.deadlines.wait { $0.count == 2 }
    _ = mailbox.send(ErrorEvent(source: "a", message: ""), at: time)
    #expect(await name == "a")
  }

  @Test func `closing a mailbox counts its events as lost, and the reader can no longer settle these events`() async {
    let mailbox = mailbox(.dropNewest(limit: 9), ["a", "b"])
    #expect(await next(mailbox, 1) == "a")
    mailbox.close()
    #expect(mailbox.queue.lostCount == 2 && mailbox.settle(1) == 0)
    await mailbox.waitUntilEmpty()
  }
}
