// SPDX-License-Identifier: Apache-2.0

/// What a program said that nobody could use.
public struct ExecCounts: Equatable, Sendable {
  /// Lines that were no message.
  public var invalidLines: UInt64 = 0
  /// Lines that were too long.
  public var overlongLines: UInt64 = 0
  /// Messages of a kind that is not known.
  public var unknownMessages: UInt64 = 0
  /// Replies that nobody waited for any more.
  public var lateReplies: UInt64 = 0

  /// Makes counts at zero.
  public init() {}
}
