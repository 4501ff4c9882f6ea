// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A ``Broadcast`` that notifies slow listeners of the elements that they have lost.
///
/// If a listener has lost elements, it receives a marker with their number before its next element.
package final class LossMarkingBroadcast<Element: Sendable>: Sendable {
  private struct Numbered: Sendable {
    var number: UInt64
    var element: Element
  }

  /// The state of a listener.
  private struct Reading {
    /// The number of the next element, if none is lost.
    var expected: UInt64
    /// The next element, if the last delivered one was a loss marker.
    var held: Element?
  }

  private let elements: Broadcast<Numbered>
  /// The number of elements sent, which is the number of the last one.
  private let sentCount = Mutex<UInt64>(0)
  private let marker: @Sendable (_ lostCount: Int) -> Element

  /// Creates a broadcast without listeners.
  ///
  /// - Parameters:
  ///   - bufferSize: The maximum number of elements buffered per listener, at least 1. On overflow
  ///     the oldest are dropped.
  ///   - marker: Returns the element that reports a number of lost elements.
  package init(bufferSize: Int, marker: @escaping @Sendable (_ lostCount: Int) -> Element) {
    elements = Broadcast(bufferSize: bufferSize)
    self.marker = marker
  }

  /// Sends an element to all listeners.
  package func send(_ element: Element) {
    sentCount.withLock { count in
      count &+= 1
      elements.send(Numbered(number: count, element: element))
    }
  }

  /// Subscribes to the elements sent from now on, like ``Broadcast/subscribe(startingWith:keeping:)``.
  package func subscribe(
    startingWith first: Element, keeping owner: (any AnyObject & Sendable)? = nil
  ) -> AsyncStream<Element> {
    // The lock ensures that the next element sent has the number after that of `first`.
    let (stream, start) = sentCount.withLock { count in
      (
        elements.subscribe(startingWith: Numbered(number: count, element: first), keeping: owner),
        count
      )
    }
    let reading = Mutex(Reading(expected: start))
    return AsyncStream { [marker] in
      let held = reading.withLock { reading in
        defer { reading.held = nil }
        return reading.held
      }
      if let held { return held }
      var iterator = stream.makeAsyncIterator()
      guard let next = await iterator.next() else { return nil }
      return reading.withLock { reading in
        let lostCount = next.number &- reading.expected
        reading.expected = next.number &+ 1
        guard lostCount > 0 else { return next.element }
        reading.held = next.element
        return marker(Int(clamping: lostCount))
      }
    }
  }
}
