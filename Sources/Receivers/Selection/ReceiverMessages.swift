// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The newest statements of a receiver about itself: its antenna, and its last errors and warnings.
package struct ReceiverMessages: Equatable, Sendable {
  /// The maximum number of errors and warnings.
  static let maxTexts = 4

  /// The newest message about the antenna.
  package private(set) var antenna: ReceiverMessage?
  /// The newest errors and warnings, the oldest first.
  package private(set) var texts: [ReceiverMessage] = []

  package init() {}

  /// All messages.
  package var all: [ReceiverMessage] { [antenna].compactMap(\.self) + texts }

  /// The time in seconds after which an error or a warning no longer explains a missing position.
  ///
  /// A repeated one is passed on once a minute.
  private static let textSeconds = 120.0

  /// The fault that most likely explains a missing position; `nil` without a fault.
  package func fault(at now: MonotonicTime) -> ReceiverMessage? {
    if let antenna, antenna.isFault { return antenna }
    return texts.last { text in
      text.receivedAt.map { now.seconds(since: $0) <= Self.textSeconds } ?? false
    }
  }

  /// Stores a message; replaces an older message of the same content.
  package mutating func note(_ message: ReceiverMessage) {
    if message.antenna != nil {
      antenna = message
      return
    }
    texts.removeAll { $0.kind == message.kind && $0.text == message.text }
    if texts.count >= Self.maxTexts { texts.removeFirst() }
    texts.append(message)
  }
}
