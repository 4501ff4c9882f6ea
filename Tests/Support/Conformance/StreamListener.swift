// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One who listens to a stream, and remembers all it was told.
final class StreamListener<Element: Sendable>: Sendable {
  private let recorder = EventRecorder<Element>()
  private let end = EventRecorder<Void>()
  private let task: Task<Void, Never>
  /// Where what it was told last of begins.
  private let start = Mutex(0)

  init(_ stream: AsyncStream<Element>) {
    task = Task { [recorder, end] in
      for await element in stream { recorder.record(element) }
      end.record(())
    }
  }

  deinit { task.cancel() }

  /// All it was told.
  var heard: [Element] { recorder.events }

  /// Stops to listen.
  func cancel() { task.cancel() }

  /// Waits until an element comes, from a place in what it was told on.
  func wait(from count: Int, until isExpected: @escaping @Sendable (Element) -> Bool) async {
    await recorder.wait { $0.dropFirst(count).contains(where: isExpected) }
  }

  /// Takes note of where it was told of what happened; what came between that and what happened
  /// before.
  func mark(from count: Int, _ isExpected: (Element) -> Bool) -> ArraySlice<Element> {
    let heard = heard
    guard let told = heard[count...].firstIndex(where: isExpected) else { return [] }
    return start.withLock { start in
      defer { start = told }
      return heard[start..<told]
    }
  }

  /// Waits until the stream has ended.
  func waitForEnd() async { await end.wait(for: 1) }
}
