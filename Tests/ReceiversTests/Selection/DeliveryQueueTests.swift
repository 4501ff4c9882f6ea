// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

@Suite struct DeliveryQueueTests {
  @Test func `the delivering thread also delivers the events of other threads in order`() {
    var queue = DeliveryQueue()
    #expect(queue.begin() == nil)
    queue.append(.fix(Fix(mode: .none)))
    #expect(queue.begin() == [.fix(Fix(mode: .none))])
    queue.append(.lost(SourceLoss(.silent)))
    #expect(queue.begin() == nil, "another thread is delivering")
    queue.append(.fix(Fix(mode: .twoDimensional)))
    #expect(queue.next() == [.lost(SourceLoss(.silent)), .fix(Fix(mode: .twoDimensional))])
    #expect(queue.next() == nil)
    queue.append(.fix(Fix(mode: .none)))
    #expect(queue.begin()?.count == 1)
  }

  @Test func `a full delivery queue drops and counts the oldest fix, and keeps losses`() {
    var queue = DeliveryQueue()
    queue.append(.fix(Fix(mode: .none)))
    _ = queue.begin()
    queue.append(.lost(SourceLoss(.silent)))
    for _ in 0..<DeliveryQueue.limit { queue.append(.fix(Fix(mode: .none))) }
    queue.append(.fix(Fix(mode: .threeDimensional)))
    #expect(queue.droppedCount == 2)
    let events = queue.next()
    #expect(events?.count == DeliveryQueue.limit)
    #expect(events?.first == .lost(SourceLoss(.silent)))
    #expect(events?.last == .fix(Fix(mode: .threeDimensional)))
  }
}
