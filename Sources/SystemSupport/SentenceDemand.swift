// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether a consumer wants the sentences of the receiver as received; usable from any thread.
///
/// Without a consumer, sources copy no sentences.
package final class SentenceDemand: Sendable {
  private let flag = Atomic(false)

  package init() {}

  /// Whether sources forward sentences, from the next epoch on.
  package var isPresent: Bool {
    get { flag.load(ordering: .relaxed) }
    set { flag.store(newValue, ordering: .relaxed) }
  }
}
