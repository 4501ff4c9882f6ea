// SPDX-License-Identifier: Apache-2.0

/// What a program said that nobody could use.
struct ExecCounts: Equatable, Sendable {
  /// Lines that were no message.
  var invalidLines: UInt64 = 0
  /// Lines that were too long.
  var overlongLines: UInt64 = 0
  /// Messages of a kind that is not known.
  var unknownMessages: UInt64 = 0
  /// Replies that nobody waited for any more.
  var lateReplies: UInt64 = 0
}
