// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One who listens to a stream, and remembers all it was told.
final class StreamListener<Element: Sendable>: Sendable {
  private let recorder = EventRecorder<Element>()
  private let end = EventRecorder<Void>()
  private let task: Task<Void, Never>

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

  /// Waits until the stream has ended.
  func waitForEnd() async { await end.wait(for: 1) }
}
