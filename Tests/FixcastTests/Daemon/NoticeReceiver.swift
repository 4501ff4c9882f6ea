// SPDX-License-Identifier: Apache-2.0

import FixcastTesting

/// What listens where a service manager would, and records what a service tells it.
final class NoticeReceiver: Sendable {
  let path: String
  /// A message each.
  let messages = EventRecorder<String>()
  private let reading: Task<Void, Never>

  init(at path: String) {
    self.path = path
    let receiver = DatagramReceiver(at: path)
    reading = Task { [messages] in
      while !Task.isCancelled {
        if let text = await receiver.arrival() { messages.record(text) }
      }
    }
  }

  deinit { reading.cancel() }

  /// Waits until something was told; all that was said by then.
  @discardableResult
  func wait(for text: String) async -> [String] {
    await messages.wait { $0.contains { $0.contains(text) } }
  }
}
