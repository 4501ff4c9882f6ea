// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Callback queue")
struct CallbackQueueTests {
  @Test func `a full callback queue drops the oldest location, never a change of authorization`() {
    var queue = CallbackQueue(limit: 4)
    queue.append(.didChangeAuthorization(Authorization(.authorizedAlways)))
    for _ in 0..<10 { queue.append(.didUpdateLocations([Location.here])) }
    #expect(queue.count == 4)
    #expect(queue.droppedLocations == 7)
    #expect(queue.next() == .didChangeAuthorization(Authorization(.authorizedAlways)))
  }

  @Test func `the callback queue is bounded even if it holds only answers to requests`() {
    var queue = CallbackQueue(limit: 4)
    for id in 1...10 as ClosedRange<UInt64> { queue.append(.didAnswerFullAccuracy(id: id, nil)) }
    #expect(queue.count == 4 && queue.droppedOthers == 6)
    #expect(queue.next() == .didAnswerFullAccuracy(id: 7, nil))
  }

  @Test func `a full callback queue drops other callbacks before an answer to a request`() {
    var queue = CallbackQueue(limit: 4)
    queue.append(.didAnswerFullAccuracy(id: 1, nil))
    for status in AuthorizationStatus.allCases {
      queue.append(.didChangeAuthorization(Authorization(status)))
      queue.append(.didFailWithError(.denied))
    }
    #expect(queue.next() == .didAnswerFullAccuracy(id: 1, nil))
  }

  @Test func `callbacks are dequeued in order, in any mix of appends and removals`() {
    var generator = SeededGenerator(seed: 4)
    var queue = CallbackQueue(limit: 1000)
    var (sent, seen) = (0, 0)
    for _ in 0..<RandomInputs.count(20_000) {
      if Bool.random(using: &generator), queue.count < 1000 {
        queue.append(.didUpdateLocations([Location.at(Double(sent) / 1000)]))
        sent += 1
      } else if let next = queue.next() {
        #expect(next == .didUpdateLocations([Location.at(Double(seen) / 1000)]))
        seen += 1
      }
    }
    #expect(sent - seen == queue.count && queue.droppedLocations == 0)
  }

  @Test func `dropLocations removes every location from the callback queue`() {
    var queue = CallbackQueue()
    queue.append(.didUpdateLocations([Location.here]))
    queue.append(.didFailWithError(.denied))
    queue.dropLocations()
    #expect(queue.next() == .didFailWithError(.denied))
    #expect(queue.next() == nil)
  }
}
