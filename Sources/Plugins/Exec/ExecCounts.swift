// SPDX-License-Identifier: Apache-2.0

/// What a program said that nobody could use, since it was started.
struct ExecCounts: Equatable, Sendable {
  /// Lines that were no message.
  var invalidLines: UInt64 = 0
  /// Lines that were too long.
  var overlongLines: UInt64 = 0
  /// Messages of a kind that is not known.
  var unknownMessages: UInt64 = 0
  /// Replies that nobody waited for any more.
  var lateReplies: UInt64 = 0

  /// How many there were of each kind of which one alone was told; `nil` for none such.
  var summary: String? {
    let kinds = [
      (unknownMessages, "unknown messages"), (invalidLines, "lines that were no message"),
      (overlongLines, "lines that were too long"), (lateReplies, "answers that came too late"),
    ]
    let parts = kinds.filter { $0.0 > 1 }.map { "\($0) \($1)" }
    return parts.isEmpty ? nil : "passed over in all: " + parts.joined(separator: ", ")
  }
}
