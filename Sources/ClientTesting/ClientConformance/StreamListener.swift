// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A subscription to a stream that records all elements.
final class StreamListener<Element: Sendable>: Sendable {
  private let recorder = EventRecorder<Element>()
  private let end = EventRecorder<Void>()
  private let task: Task<Void, Never>
  /// The index of the element of the last change.
  private let lastChange = Mutex(0)

  init(_ stream: AsyncStream<Element>) {
    task = Task { [recorder, end] in
      for await element in stream { recorder.record(element) }
      end.record(())
    }
  }

  deinit { task.cancel() }

  /// The elements received so far.
  var received: [Element] { recorder.events }

  /// Ends the subscription.
  func cancel() { task.cancel() }

  /// Waits for an expected element at or after an index.
  func wait(from count: Int, until isExpected: @escaping @Sendable (Element) -> Bool) async {
    await recorder.wait { $0.dropFirst(count).contains(where: isExpected) }
  }

  /// Stores the index of the expected element; returns the elements since the previous change.
  func markChange(from count: Int, _ isExpected: (Element) -> Bool) -> ArraySlice<Element> {
    let received = received
    guard let index = received[count...].firstIndex(where: isExpected) else { return [] }
    return lastChange.withLock { lastChange in
      defer { lastChange = index }
      return received[lastChange..<index]
    }
  }

  /// Waits until the stream has ended.
  func waitForEnd() async { await end.wait(for: 1) }
}
