// SPDX-License-Identifier: Apache-2.0

import Streams
import Synchronization
import Testing

@Suite("Broadcast")
struct BroadcastTests {
  @Test("every listener receives every element, in order")
  func everybody() async {
    let broadcast = Broadcast<Int>()
    let first = broadcast.subscribe()
    let second = broadcast.subscribe()
    for number in 1...3 { broadcast.send(number) }
    broadcast.finish()
    #expect(await first.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    #expect(await second.reduce(into: []) { $0.append($1) } == [1, 2, 3])
  }

  @Test("a slow listener receives the newest elements, and the dropped elements are counted")
  func slow() async {
    let broadcast = Broadcast<Int>(bufferSize: 2)
    let slow = broadcast.subscribe()
    for number in 1...5 { broadcast.send(number) }
    broadcast.finish()
    #expect(await slow.reduce(into: []) { $0.append($1) } == [4, 5])
    #expect(broadcast.droppedCount == 3)
  }

  @Test("the newest element is replayed to a late listener if enabled")
  func late() async {
    let broadcast = Broadcast<Int>(replaysNewest: true)
    broadcast.send(7)
    var late = broadcast.subscribe().makeAsyncIterator()
    #expect(await late.next() == 7)
  }

  @Test("cancelling one listener does not affect others, and a new one can subscribe")
  func again() async {
    let counts = Mutex<[Int]>([])
    let broadcast = Broadcast<Int>(listenersChanged: { count in
      counts.withLock { $0.append(count) }
    })
    let stays = broadcast.subscribe()
    do {
      let goes = broadcast.subscribe()
      let task = Task { for await _ in goes {} }
      task.cancel()
      await task.value
    }
    broadcast.send(1)
    let comes = broadcast.subscribe()
    broadcast.send(2)
    broadcast.finish()
    #expect(await stays.reduce(into: []) { $0.append($1) } == [1, 2])
    #expect(await comes.reduce(into: []) { $0.append($1) } == [2])
    #expect(counts.withLock { $0.prefix(4) } == [1, 2, 1, 2])
  }

  @Test("a subscription to a finished broadcast ends at once")
  func ended() async {
    let broadcast = Broadcast<Int>(replaysNewest: true)
    broadcast.send(1)
    broadcast.finish()
    #expect(await broadcast.subscribe().reduce(into: []) { $0.append($1) } == [])
  }
}
