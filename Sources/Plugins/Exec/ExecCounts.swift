// SPDX-License-Identifier: Apache-2.0

/// Counts of a program's unusable output since its start.
struct ExecCounts: Equatable, Sendable {
  /// Lines that are not valid messages.
  var invalidLines: UInt64 = 0
  /// Lines that exceed the length limit.
  var overlongLines: UInt64 = 0
  /// Messages of an unknown class.
  var unknownMessages: UInt64 = 0
  /// Replies that arrived after their timeout.
  var lateReplies: UInt64 = 0

  /// A summary of the counts above 1, on one line; `nil` if no count is above 1.
  ///
  /// A count of 1 is omitted, because the first unusable output of each kind has been logged.
  var summary: String? {
    let kinds = [
      (unknownMessages, "unknown messages"), (invalidLines, "invalid lines"),
      (overlongLines, "overlong lines"), (lateReplies, "late replies"),
    ]
    let parts = kinds.filter { $0.0 > 1 }.map { "\($0) \($1)" }
    return parts.isEmpty ? nil : "ignored in total: " + parts.joined(separator: ", ")
  }
}
