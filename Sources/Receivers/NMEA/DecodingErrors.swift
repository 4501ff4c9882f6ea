// SPDX-License-Identifier: Apache-2.0

import NMEA

/// The first errors of a decoder, in the order of their lines.
struct DecodingErrors: Sendable {
  /// The maximum number of refused lines, and of invalid fields in accepted sentences.
  let limit: Int
  /// The errors; at most twice ``limit``.
  private(set) var first: [SentenceError] = []
  private var refusalCount = 0

  init(limit: Int) { self.limit = limit }

  mutating func note(_ error: SentenceError) {
    let count = error.isRefusal ? refusalCount : first.count - refusalCount
    guard count < limit else { return }
    first.append(error)
    if error.isRefusal { refusalCount += 1 }
  }
}
