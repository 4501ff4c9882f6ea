// SPDX-License-Identifier: Apache-2.0

extension LineFramer {
  /// Skips and counts the bytes between sentences, and returns the offset of the next sentence.
  ///
  /// Returns the byte count if no sentence starts.
  mutating func skipToStart(in bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < bytes.count {
      let byte = bytes[position]
      if gap == .carriageReturn, byte != ASCII.lineFeed, byte != ASCII.carriageReturn {
        // The line ended with a CR alone.
        lineNumber &+= 1
        gap = .lineStart
      }
      if isStart(byte) {
        abandonTagBlock()
        abandonLogName()
        return position
      }
      position &+= 1
      if gap == .logName {
        if continuesLogName(byte) {
          if logNameCount == Self.logName.count { return position }
          continue
        }
        abandonLogName()
      }
      skip(byte)
      if gap == .comment { position = skipComment(in: bytes, from: position) }
    }
    return position
  }

  /// Skips the text of a comment.
  private mutating func skipComment(in bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < bytes.count, isText(bytes[position]) { position &+= 1 }
    counters.skippedBytes &+= UInt64(position &- start)
    return position
  }

  /// Counts the bytes of an unfinished tag block as stray, because another line or sentence begins.
  mutating func abandonTagBlock() {
    guard gap == .tagBlock else { return }
    counters.strayBytes &+= openTagBlockBytes
    openTagBlockBytes = 0
    gap = .stray
  }

  /// Counts the bytes of an incomplete name of a log as a comment or as stray.
  mutating func abandonLogName() {
    guard gap == .logName else { return }
    if skipsComments, !isLogNameStray {
      counters.skippedBytes &+= UInt64(logNameCount)
      gap = .comment
    } else {
      counters.strayBytes &+= UInt64(logNameCount)
      gap = .stray
    }
    logNameCount = 0
  }

  /// Returns whether a byte starts a sentence.
  ///
  /// Within a comment, neither `$` nor `!` starts a sentence. After an overlong line, only `$`
  /// does. Inlined, because the compiler copies the whole framer to call a nonmutating function.
  @inline(__always)
  private func isStart(_ byte: UInt8) -> Bool {
    switch byte {
    case ASCII.dollar: !isComment
    case ASCII.exclamationMark: !isComment && gap != .overlong
    default: false
    }
  }

  /// Whether a `$` belongs to a comment.
  private var isComment: Bool {
    gap == .comment || (gap == .logName && skipsComments && !isLogNameStray)
  }

  private mutating func skip(_ byte: UInt8) {
    if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
      if byte == ASCII.lineFeed { lineNumber &+= 1 }
      abandonTagBlock()
      // A CR at the start of a line, as in LF CR, ends no further line.
      if byte == ASCII.lineFeed {
        gap = .lineStart
      } else if gap != .lineStart {
        gap = .carriageReturn
      }
      return
    }
    // A control character ends a tag block. A byte that is not text ends a comment: in binary data
    // `\r#` occurs by chance, and a sentence may follow.
    if gap == .comment ? !isText(byte) : byte < ASCII.space {
      abandonTagBlock()
      gap = .stray
    }
    switch gap {
    case .comment: counters.skippedBytes &+= 1
    case .overlong: counters.lostBytes &+= 1
    case .tagBlock: skipInTagBlock(byte)
    case .lineStart where byte == ASCII.numberSign, .stray where byte == ASCII.numberSign:
      // A log may follow binary data, such as corrections.
      logNameCount = 1
      isLogNameStray = gap == .stray
      gap = .logName
    case .lineStart where byte == ASCII.backslash:
      openTagBlockBytes = 1
      gap = .tagBlock
    case .lineStart, .carriageReturn, .stray, .logName:
      counters.strayBytes &+= 1
      countControl(byte)
      gap = .stray
    }
  }

  /// Returns whether a byte is printable ASCII or a tab.
  private func isText(_ byte: UInt8) -> Bool {
    (ASCII.space...0x7E).contains(byte) || byte == 0x09
  }

  /// Counts a stray control character, except those that occur in text: 0x09 to 0x0D and escape.
  private mutating func countControl(_ byte: UInt8) {
    if byte < ASCII.space, !(0x09...0x0D).contains(byte), byte != 0x1B {
      counters.controlBytes &+= 1
    }
  }

  private mutating func continuesLogName(_ byte: UInt8) -> Bool {
    guard byte == Self.logName[logNameCount] else { return false }
    logNameCount &+= 1
    return true
  }

  private mutating func skipInTagBlock(_ byte: UInt8) {
    openTagBlockBytes &+= 1
    guard byte == ASCII.backslash else { return }
    counters.tagBlocks &+= 1
    counters.skippedBytes &+= openTagBlockBytes
    openTagBlockBytes = 0
    gap = .lineStart
  }
}
