// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Plugins

@Suite("Batch of points")
struct TrackBatchTests {
  @Test func `a batch of points is due when it is full, or when its first point has waited long enough`() {
    var batch = TrackBatch<Int>(limit: 3, seconds: 10)
    #expect(!batch.isDue(now: .at(1000)))
    batch.add(1, now: .at(5))
    #expect(batch.dueAt == .at(15))
    batch.add(2, now: .at(14))
    #expect(!batch.isDue(now: .at(14.9)))
    #expect(batch.isDue(now: .at(15)))
    batch.add(3, now: .at(14))
    #expect(batch.isDue(now: .at(14)))
    #expect(batch.rows == [1, 2, 3])
    batch.removeAll(now: .at(20))
    #expect(batch.dueAt == nil)
    #expect(!batch.isDue(now: .at(100)))
  }

  @Test func `a batch is due one interval after the last write, or at once if the interval has passed`() {
    var batch = TrackBatch<Int>(limit: 3, seconds: 10)
    batch.removeAll(now: .at(20))
    batch.add(1, now: .at(24))
    #expect(batch.dueAt == .at(30))
    batch.removeAll(now: .at(30))
    batch.add(2, now: .at(41))
    #expect(batch.isDue(now: .at(41)))
  }
}
