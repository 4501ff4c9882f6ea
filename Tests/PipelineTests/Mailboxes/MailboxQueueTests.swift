// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Testing

/// What waits in a mailbox, and what goes.
@Suite struct MailboxQueueTests {
  /// Numbers, whose kind is their last digit.
  private func queue(_ policy: MailboxPolicy) -> MailboxQueue<Int, Int> {
    MailboxQueue(policy) { $0 % 10 }
  }

  private func drain(_ queue: inout MailboxQueue<Int, Int>) -> [Int] {
    var taken: [Int] = []
    while let number = queue.popFirst() { taken.append(number) }
    return taken
  }

  @Test(
    "keeps what its policy says, and counts the rest",
    arguments: [
      (MailboxPolicy.keepNewest, [12, 21, 23], 3),
      (.dropOldest(limit: 2), [21, 23], 4), (.dropOldest(limit: 0), [23], 5),
      (.spill(limit: 2), [1, 11], 4), (.neverDrop(limit: 4), [1, 11, 2, 12], 2),
    ])
  func policies(policy: MailboxPolicy, left: [Int], dropped: Int) {
    var queue = queue(policy)
    for number in [1, 11, 2, 12, 21, 23] { _ = queue.send(number) }
    #expect(drain(&queue) == left)
    #expect(queue.droppedCount == UInt64(dropped) && queue.sentCount == 6)
    #expect(queue.highWater == max(left.count, policy.limit == 4 ? 4 : left.count))
  }

  @Test("says when nothing may be lost and it would be")
  func overflow() {
    var never = queue(.neverDrop(limit: 1))
    #expect(never.send(1) == .waits && never.send(2) == .overflow)
    var spill = queue(.spill(limit: 1))
    #expect(spill.send(1) == .waits && spill.send(2) == .turnedAway)
  }

  @Test("where no alert may be lost, what is none makes room for them, and is counted")
  func alerts() {
    // Odd numbers are alerts.
    var queue = MailboxQueue<Int, Int>(
      .neverDrop(limit: 3), key: { $0 }, mayDrop: { $0.isMultiple(of: 2) })
    for number in [1, 2, 4] { #expect(queue.send(number) == .waits) }
    #expect(queue.send(3) == .replaced && queue.send(6) == .replaced && queue.droppedCount == 2)
    #expect(queue.send(5) == .replaced && queue.droppedCount == 3)
    #expect(queue.send(8) == .turnedAway && queue.droppedCount == 4)
    #expect(queue.send(7) == .overflow && queue.droppedCount == 5)
    #expect(drain(&queue) == [1, 3, 5])
  }

  @Test("what comes back to a track that is full takes the place of the newest")
  func putBackIntoFull() {
    var track = queue(.spill(limit: 2))
    for number in 1...2 { _ = track.send(number) }
    #expect(track.popFirst() == 1 && track.send(3) == .waits)
    #expect(track.putBack(1) && track.depth == 2 && track.highWater == 2)
    #expect(track.droppedCount == 1 && drain(&track) == [1, 2])
  }

  @Test("what could not be taken comes again where nothing may be lost, else it is counted")
  func putBack() {
    var track = queue(.spill(limit: 2))
    for number in 1...2 { _ = track.send(number) }
    let first = track.popFirst()
    #expect(first == 1 && track.putBack(1))
    #expect(drain(&track) == [1, 2])
    #expect(track.putBack(2) && drain(&track) == [2])
    var view = queue(.dropOldest(limit: 2))
    _ = view.send(1)
    #expect(view.popFirst() == 1)
    #expect(!view.putBack(1) && view.depth == 0 && view.lostCount == 1)
  }

  @Test("another policy keeps what it allows of what waits")
  func change() {
    var queue = queue(.spill(limit: 9))
    for number in [1, 2, 11, 3] { _ = queue.send(number) }
    queue.change(.keepNewest)
    #expect(queue.droppedCount == 1)
    queue.change(.dropOldest(limit: 2))
    #expect(drain(&queue) == [11, 3] && queue.droppedCount == 2)
  }

  @Test("what waits when nobody takes any more is lost, and counted")
  func close() {
    var queue = queue(.spill(limit: 9))
    for number in 1...3 { _ = queue.send(number) }
    queue.close()
    #expect(queue.send(4) == .turnedAway && queue.depth == 0 && queue.lostCount == 4)
    queue.reopen()
    #expect(queue.send(5) == .waits && drain(&queue) == [5])
  }

  @Test("in any order of events the counts add up, the bound holds and the order stays")
  func property() {
    var dice = SeededGenerator(seed: 5)
    var drops: UInt64 = 0
    for _ in 0..<2000 {
      let limit = Int.random(in: 1...40, using: &dice)
      let policies: [MailboxPolicy] = [
        .keepNewest, .dropOldest(limit: limit), .spill(limit: limit), .neverDrop(limit: limit),
      ]
      var queue = queue(policies.randomElement(using: &dice) ?? .keepNewest)
      var (taken, last, sent): (UInt64, Int, Int) = (0, -1, 0)
      for _ in 0..<100 {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0..<6:
          _ = queue.send(sent)
          sent += 1
        case 6: _ = queue.popFirst().map { _ = queue.putBack($0) }
        default:
          guard let number = queue.popFirst() else { continue }
          #expect(number > last)
          last = number
          taken += 1
        }
        #expect(queue.depth <= queue.policy.limit && queue.highWater <= queue.policy.limit)
        #expect(
          queue.sentCount == taken + queue.droppedCount + queue.lostCount + UInt64(queue.depth))
      }
      drops += queue.droppedCount
    }
    #expect(drops > 1000)
  }
}
