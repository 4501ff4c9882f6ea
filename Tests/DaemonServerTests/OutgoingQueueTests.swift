// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DaemonServer

@Suite("Outgoing queue of a client") struct OutgoingQueueTests {
  private static func frame(_ text: String, containsLocation: Bool = false) -> OutgoingQueue.Frame {
    OutgoingQueue.Frame(bytes: Array(text.utf8), containsLocation: containsLocation)
  }

  private static func texts(_ queue: inout OutgoingQueue) -> [String] {
    var texts: [String] = []
    while let frame = queue.next() { texts.append(String(decoding: frame.bytes, as: UTF8.self)) }
    return texts
  }

  @Test func `a full outgoing queue keeps the newest frames, and first reports the dropped frames`() {
    var queue = OutgoingQueue(maxFrames: 2, maxBytes: 1000)
    for text in ["a", "b", "c", "d"] { queue.append(Self.frame(text)) }
    #expect(queue.droppedCount == 2)
    let texts = Self.texts(&queue)
    #expect(texts.count == 3)
    #expect(texts.first?.contains(#""dropped":2"#) == true)
    #expect(Array(texts.dropFirst()) == ["c", "d"])
    #expect(queue.isEmpty)
    #expect(queue.byteCount == 0)
  }

  @Test func `the outgoing queue is bounded in bytes, and drops a single frame that is too large`() {
    var queue = OutgoingQueue(maxFrames: 100, maxBytes: 5)
    queue.append(Self.frame("abc"))
    queue.append(Self.frame("def"))
    #expect(queue.byteCount == 3)
    queue.append(Self.frame("0123456789"))
    #expect(queue.byteCount == 0)
    #expect(queue.droppedCount == 3)
  }

  @Test func `a full outgoing queue drops other frames, and keeps the newest authorization`() {
    var queue = OutgoingQueue(maxFrames: 2, maxBytes: 1000)
    for text in ["old", "new"] {
      queue.append(OutgoingQueue.Frame(bytes: Array(text.utf8), state: .authorization))
    }
    for text in ["a", "b", "c"] { queue.append(Self.frame(text)) }
    #expect(Array(Self.texts(&queue).dropFirst()) == ["new", "c"])
  }

  @Test func `frames with locations can be removed from the outgoing queue`() {
    var queue = OutgoingQueue(maxFrames: 9, maxBytes: 1000)
    queue.append(Self.frame("here", containsLocation: true))
    queue.append(Self.frame("path"))
    queue.removeLocations()
    #expect(Self.texts(&queue) == ["path"])
  }

  @Test func `the outgoing queue keeps all pieces of a response that is larger than its limits`() {
    var queue = OutgoingQueue(maxFrames: 2, maxBytes: 5)
    queue.append(response: ["abcd", "efgh", "ijkl"].map { Array($0.utf8) })
    #expect(queue.byteCount == 12)
    #expect(Self.texts(&queue) == ["abcd", "efgh", "ijkl"])
    #expect(queue.byteCount == 0)
  }
}
