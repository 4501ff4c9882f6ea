// SPDX-License-Identifier: Apache-2.0

extension LineFramer {
  /// What the framer did not hand out.
  ///
  /// Every byte is accounted for: those of the lines handed out, those counted here, the CR and LF,
  /// and what is kept of a line that has not ended.
  public struct Counters: Equatable, Sendable {
    /// Bytes that belong to no sentence; line endings, comments and tag blocks not counted.
    public var strayBytes: UInt64 = 0
    /// Those of them that no text has: control characters but for those that lay it out.
    public var controlBytes: UInt64 = 0
    /// Lines dropped because they were longer than ``LineFramer/maximumLineLength``.
    public var overlongLines: UInt64 = 0
    /// Lines broken off by a `$`, or by the end of the input, before their checksum.
    public var brokenLines: UInt64 = 0
    /// Bytes of the overlong and broken lines.
    public var lostBytes: UInt64 = 0
    /// NMEA 4 tag blocks (`\...\` before a sentence).
    public var tagBlocks: UInt64 = 0
    /// Bytes of tag blocks and of comments.
    public var skippedBytes: UInt64 = 0
  }
}
