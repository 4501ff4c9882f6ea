// SPDX-License-Identifier: Apache-2.0

import Streams
import Synchronization
import Testing

@Suite("Broadcast")
struct BroadcastTests {
  @Test func `every listener of a broadcast receives every element, in order`() async {
    let broadcast = Broadcast<Int>()
    let first = broadcast.subscribe()
    let second = broadcast.subscribe()
    for number in 1...3 { broadcast.send(number) }
    broadcast.finish()
    #expect(await first.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    #expect(await second.reduce(into: []) { $0.append($1) } == [1, 2, 3])
  }

  @Test func `a slow listener of a broadcast receives the newest elements, and drops are counted`() async {
    let broadcast = Broadcast<Int>(bufferSize: 2)
    let slow = broadcast.subscribe()
    for number in 1...5 { broadcast.send(number) }
    broadcast.finish()
    #expect(await slow.reduce(into: []) { $0.append($1) } == [4, 5])
    #expect(broadcast.droppedCount == 3)
  }

  @Test func `a broadcast with replay sends its newest element to a late listener`() async {
    let broadcast = Broadcast<Int>(replaysNewest: true)
    broadcast.send(7)
    var late = broadcast.subscribe().makeAsyncIterator()
    #expect(await late.next() == 7)
  }

  @Test func `after one listener is cancelled, others still receive elements and new listeners can join`() async {
    let counts = Mutex<[Int]>([])
    let broadcast = Broadcast<Int>(listenersChanged: { count in
      counts.withLock { $0.append(count) }
    })
    let staying = broadcast.subscribe()
    do {
      let leaving = broadcast.subscribe()
      let task = Task { for await _ in leaving {} }
      task.cancel()
      await task.value
    }
    broadcast.send(1)
    let joining = broadcast.subscribe()
    broadcast.send(2)
    broadcast.finish()
    #expect(await staying.reduce(into: []) { $0.append($1) } == [1, 2])
    #expect(await joining.reduce(into: []) { $0.append($1) } == [2])
    #expect(counts.withLock { $0.prefix(4) } == [1, 2, 1, 2])
  }

  @Test func `a subscription to a finished broadcast ends at once`() async {
    let broadcast = Broadcast<Int>(replaysNewest: true)
    broadcast.send(1)
    broadcast.finish()
    #expect(await broadcast.subscribe().reduce(into: []) { $0.append($1) } == [])
  }
}
