// SPDX-License-Identifier: Apache-2.0

import FixcastTesting

/// A notification socket that replaces the service manager's socket and records the messages.
final class NoticeReceiver: Sendable {
  let path: String
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

  /// Waits for a message that contains the text, and returns all messages until then.
  @discardableResult
  func wait(for text: String) async -> [String] {
    await messages.wait { $0.contains { $0.contains(text) } }
  }
}
