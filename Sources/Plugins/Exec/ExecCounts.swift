// SPDX-License-Identifier: Apache-2.0

/// Unusable output of a program since its start.
struct ExecCounts: Equatable, Sendable {
  /// Lines that are not valid messages.
  var invalidLines: UInt64 = 0
  /// Lines that exceed the length limit.
  var overlongLines: UInt64 = 0
  /// Messages of an unknown class.
  var unknownMessages: UInt64 = 0
  /// Replies that arrived after their timeout.
  var lateReplies: UInt64 = 0

  /// The counts above 1 in one line; `nil` if there are none.
  ///
  /// The first of each kind is logged on its own.
  var summary: String? {
    let kinds = [
      (unknownMessages, "unknown messages"), (invalidLines, "invalid lines"),
      (overlongLines, "overlong lines"), (lateReplies, "late replies"),
    ]
    let parts = kinds.filter { $0.0 > 1 }.map { "\($0) \($1)" }
    return parts.isEmpty ? nil : "ignored in total: " + parts.joined(separator: ", ")
  }
}
