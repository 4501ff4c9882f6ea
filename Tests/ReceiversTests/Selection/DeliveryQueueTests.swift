// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

@Suite struct DeliveryQueueTests {
  private func fix(_ mode: FixMode) -> SourceGroup.Event { .source(.fix(Fix(mode: mode))) }

  @Test func `the delivering thread also delivers the events of other threads in order`() {
    var queue = DeliveryQueue()
    #expect(queue.begin() == nil)
    queue.append(fix(.none))
    #expect(queue.begin() == [fix(.none)])
    queue.append(.source(.lost(SourceLoss(.silent))))
    #expect(queue.begin() == nil, "another thread is delivering")
    queue.append(fix(.twoDimensional))
    #expect(queue.next() == [.source(.lost(SourceLoss(.silent))), fix(.twoDimensional)])
    #expect(queue.next() == nil)
    queue.append(fix(.none))
    #expect(queue.begin()?.count == 1)
  }

  @Test func `a full delivery queue drops and counts the oldest fix, and keeps losses`() {
    var queue = DeliveryQueue()
    queue.append(fix(.none))
    _ = queue.begin()
    queue.append(.source(.lost(SourceLoss(.silent))))
    for _ in 0..<DeliveryQueue.limit { queue.append(fix(.none)) }
    queue.append(fix(.threeDimensional))
    #expect(queue.droppedCount == 2)
    let events = queue.next()
    #expect(events?.count == DeliveryQueue.limit)
    #expect(events?.first == .source(.lost(SourceLoss(.silent))))
    #expect(events?.last == fix(.threeDimensional))
  }

  @Test func `a full delivery queue keeps the start and the end of the sources`() {
    var queue = DeliveryQueue()
    queue.append(fix(.none))
    _ = queue.begin()
    let loss = SourceGroup.Event.source(.lost(SourceLoss(.silent)))
    queue.append(.started(name: "auto"))
    for _ in 0..<DeliveryQueue.limit { queue.append(loss) }
    queue.append(.ended(failures: []))
    queue.append(loss)
    let events = queue.next()
    #expect(events?.count == DeliveryQueue.limit && queue.droppedCount == 3)
    #expect(events?.first == .started(name: "auto"))
    #expect(events?.contains(.ended(failures: [])) == true)
  }
}
