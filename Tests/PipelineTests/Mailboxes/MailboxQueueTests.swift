// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Pipeline

/// The events that a plugin's queue keeps and drops.
@Suite struct MailboxQueueTests {
  /// An event with a number: the subject is the last digit, and odd numbers are alerts.
  private struct Number: PipelineEvent {
    var value: Int
    var subject: String? { "\(value % 10)" }
    var isAlert: Bool { !value.isMultiple(of: 2) }
  }

  private let time = MonotonicTime.at(0)

  private func queue(_ policy: MailboxPolicy, _ values: [Int] = []) -> MailboxQueue {
    var queue = MailboxQueue(policy)
    for value in values { #expect(queue.send(Number(value: value), at: time) == .queued) }
    return queue
  }

  private func take(_ queue: inout MailboxQueue) -> Int? { (queue.take() as? Number)?.value }

  private func drain(_ queue: inout MailboxQueue) -> [Int] {
    var taken: [Int] = []
    while let value = take(&queue) { taken.append(value) }
    _ = queue.settle(keeping: 0)
    return taken
  }

  @Test(arguments: [
    (MailboxPolicy.keepNewest, [12, 21, 23], 3),
    (.dropOldest(limit: 2), [21, 23], 4), (.dropOldest(limit: 0), [23], 5),
    (.dropNewest(limit: 2), [1, 11], 4), (.keepAlerts(limit: 4), [1, 11, 21, 23], 2),
  ])
  func `a queue keeps the events that its policy specifies, and counts the dropped events`(
    policy: MailboxPolicy, kept: [Int], dropped: Int
  ) {
    var queue = queue(policy)
    for value in [1, 11, 2, 12, 21, 23] { _ = queue.send(Number(value: value), at: time) }
    #expect(drain(&queue) == kept)
    #expect(queue.droppedCount == UInt64(dropped))
    #expect(queue.highWater == kept.count)
  }

  @Test func `a full keepAlerts queue drops other events to make room for alerts, and counts them`() {
    var queue = queue(.keepAlerts(limit: 3), [1, 2, 4])
    #expect(queue.send(Number(value: 3), at: time) == .replaced)
    #expect(queue.send(Number(value: 6), at: time) == .replaced && queue.droppedCount == 2)
    #expect(queue.send(Number(value: 5), at: time) == .replaced && queue.droppedCount == 3)
    #expect(queue.send(Number(value: 8), at: time) == .dropped && queue.droppedCount == 4)
    #expect(queue.send(Number(value: 7), at: time) == .overflow && queue.droppedCount == 5)
    #expect(drain(&queue) == [1, 3, 5])
  }

  @Test func `an event put back into a full dropNewest queue replaces the newest event`() {
    var track = queue(.dropNewest(limit: 2), [1, 2])
    #expect(take(&track) == 1)
    #expect(track.send(Number(value: 3), at: time) == .queued)
    track.putBack()
    #expect(track.depth == 2 && track.highWater == 2 && track.droppedCount == 1)
    #expect(drain(&track) == [1, 2])
  }

  @Test func `an event put back is delivered again or lost, depending on the mailbox policy`() {
    var track = queue(.dropNewest(limit: 2), [1, 2])
    #expect(take(&track) == 1)
    track.putBack()
    #expect(drain(&track) == [1, 2] && track.lostCount == 0)
    var view = queue(.dropOldest(limit: 3), [1, 2, 3])
    #expect(take(&view) == 1 && take(&view) == 2)
    view.putBack()
    #expect(view.lostCount == 2 && drain(&view) == [3])
  }

  @Test func `after a write, a queue removes the written events and keeps those of the current batch`() {
    var track = queue(.dropNewest(limit: 9), [1, 2, 3])
    #expect(take(&track) == 1)
    #expect(track.settle(keeping: 1) == 0)
    #expect(take(&track) == 2)
    // The sink ignores the second event, so the batch is still the first event.
    #expect(track.settle(keeping: 1) == 1 && track.takenCount == 1)
    track.putBack()
    #expect(drain(&track) == [1, 3])
  }

  @Test func `changing a queue's policy drops the waiting events that the new policy does not allow`() {
    var queue = queue(.dropNewest(limit: 9), [1, 2, 11, 3])
    queue.change(.keepNewest)
    #expect(queue.droppedCount == 1)
    queue.change(.dropOldest(limit: 2))
    #expect(drain(&queue) == [11, 3] && queue.droppedCount == 2)
  }

  @Test func `the oldest event of a queue is the first one that the plugin has not completed`() {
    func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000) }
    var track = MailboxQueue(.dropNewest(limit: 9))
    #expect(track.oldestAt == nil)
    for value in 1...3 { _ = track.send(Number(value: value), at: time(Int64(value))) }
    #expect(take(&track) == 1 && track.oldestAt == time(1))
    track.putBack()
    #expect(take(&track) == 1 && take(&track) == 2 && track.oldestAt == time(1))
    #expect(track.settle(keeping: 0) == 2 && track.oldestAt == time(3))
    #expect(drain(&track) == [3] && track.oldestAt == nil)
  }

  @Test func `closing a queue counts its events as lost`() {
    var queue = queue(.dropNewest(limit: 9), [1, 2, 3])
    _ = queue.take()
    queue.close()
    #expect(queue.send(Number(value: 4), at: time) == .dropped && queue.depth == 0 && queue.lostCount == 4)
    queue.reopen()
    #expect(queue.send(Number(value: 5), at: time) == .queued && drain(&queue) == [5])
  }

  @Test func `after random operations, a queue's counts add up, its limit holds and its order is kept`() {
    var dice = SeededGenerator(seed: 5)
    var drops: UInt64 = 0
    for _ in 0..<2000 {
      let limit = Int.random(in: 1...40, using: &dice)
      let policies: [MailboxPolicy] = [
        .keepNewest, .dropOldest(limit: limit), .dropNewest(limit: limit),
        .keepAlerts(limit: limit),
      ]
      var queue = queue(policies.randomElement(using: &dice) ?? .keepNewest)
      var (settled, last, sent): (UInt64, Int, Int) = (0, -1, 0)
      for _ in 0..<100 {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0..<6:
          _ = queue.send(Number(value: sent), at: time)
          sent += 1
        case 6:
          _ = queue.take()
          queue.putBack()
        default:
          guard let value = take(&queue) else { continue }
          #expect(value > last)
          last = value
          settled += UInt64(queue.settle(keeping: 0))
        }
        #expect(queue.depth <= queue.policy.limit && queue.highWater <= queue.policy.limit)
        #expect(UInt64(sent) == settled + queue.droppedCount + queue.lostCount + UInt64(queue.depth))
      }
      drops += queue.droppedCount
    }
    #expect(drops > 1000)
  }
}
