// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Streams
import Testing

@Suite("Broadcast that marks losses", .timeLimit(.minutes(5)))
struct LossMarkingBroadcastTests {
  private enum Element: Equatable {
    case number(Int)
    case lost(Int)
  }

  private let broadcast = LossMarkingBroadcast<Element>(bufferSize: 3) { .lost($0) }

  private func send(_ numbers: ClosedRange<Int>) {
    for number in numbers { broadcast.send(.number(number)) }
  }

  @Test func `a listener that keeps up receives every element and no marker`() async {
    send(1...2)
    var listener = broadcast.subscribe(startingWith: .number(0)).makeAsyncIterator()
    #expect(await listener.next() == .number(0))
    for number in 3...9 {
      send(number...number)
      #expect(await listener.next() == .number(number))
    }
  }

  @Test func `a slow listener receives the number of lost elements before its next element`() async {
    var slow = broadcast.subscribe(startingWith: .number(0)).makeAsyncIterator()
    #expect(await slow.next() == .number(0))
    send(1...8)
    for expected in [Element.lost(5), .number(6), .number(7), .number(8)] {
      #expect(await slow.next() == expected)
    }
    send(9...13)
    for expected in [Element.lost(2), .number(11), .number(12), .number(13)] {
      #expect(await slow.next() == expected)
    }
  }

  @Test func `the first element of a subscription counts as lost if it was dropped`() async {
    var slow = broadcast.subscribe(startingWith: .number(0)).makeAsyncIterator()
    send(1...3)
    for expected in [Element.lost(1), .number(1)] { #expect(await slow.next() == expected) }
  }

  @Test func `a slow listener does not cause a marker for another listener`() async {
    let slow = broadcast.subscribe(startingWith: .number(0))
    var fast = broadcast.subscribe(startingWith: .number(0)).makeAsyncIterator()
    _ = await fast.next()
    for number in 1...8 {
      send(number...number)
      #expect(await fast.next() == .number(number))
    }
    var iterator = slow.makeAsyncIterator()
    #expect(await iterator.next() == .lost(6))
  }

  @Test func `a cancelled or released subscription ends and releases its owner`() async {
    let released = EventRecorder<Void>()
    do {
      let stream = broadcast.subscribe(
        startingWith: .number(0), keeping: Held { released.record(()) })
      #expect(released.events.isEmpty)
      withExtendedLifetime(stream) {}
    }
    await released.wait(for: 1)
    let listener = Task {
      [
        stream = broadcast.subscribe(
          startingWith: .number(0), keeping: Held { released.record(()) })
      ] in
      for await _ in stream {}
    }
    listener.cancel()
    await listener.value
    await released.wait(for: 2)
  }
}
