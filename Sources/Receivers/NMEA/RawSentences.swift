// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest sentences of the ports that this process reads, as text; usable from any thread.
///
/// The sentences contain the exact position. Show them only to a user who may know the position.
package final class RawSentences: Sendable {
  /// The number of sentences that are kept.
  package static let limit = 32

  private let lines = Mutex<[String]>([])

  package init() {}

  /// The newest sentences, the oldest of them first.
  package var newest: [String] { lines.withLock { $0 } }

  /// Adds a sentence, and removes the oldest if there are too many.
  func append(_ sentence: String) {
    lines.withLock { lines in
      if lines.count >= Self.limit { lines.removeFirst() }
      lines.append(sentence)
    }
  }
}
