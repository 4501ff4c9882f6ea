// SPDX-License-Identifier: Apache-2.0

extension LineFramer {
  /// Passes over what stands between sentences, and says where the next one starts.
  ///
  /// Nearly always this is the LF of a CR LF: one turn of the loop.
  mutating func skipToStart(in bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < bytes.count {
      let byte = bytes[position]
      if isStart(byte) {
        abandonTagBlock()
        return position
      }
      position &+= 1
      pass(byte)
      if ground == .comment { position = skipComment(in: bytes, from: position) }
    }
    return position
  }

  /// Passes over the text of a comment.
  private mutating func skipComment(in bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < bytes.count, isText(bytes[position]) { position &+= 1 }
    counters.skippedBytes &+= UInt64(position &- start)
    return position
  }

  /// A tag block that does not end before the next line or sentence is none.
  mutating func abandonTagBlock() {
    guard ground == .tagBlock else { return }
    counters.strayBytes &+= openTagBlockBytes
    openTagBlockBytes = 0
    ground = .stray
  }

  /// Whether a sentence starts here.
  ///
  /// Within a line `!` is a character like any other, and so it is in what is left of a line that
  /// was too long.
  private func isStart(_ byte: UInt8) -> Bool {
    switch byte {
    case ASCII.dollar: ground != .comment
    case ASCII.exclamationMark: ground != .comment && ground != .overlong
    default: false
    }
  }

  private mutating func pass(_ byte: UInt8) {
    if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
      if byte == ASCII.lineFeed { lineNumber &+= 1 }
      abandonTagBlock()
      ground = .lineStart
      return
    }
    // A tag block ends before a control character. A comment ends before anything that is not
    // text: in binary data `\r#` is an accident, and a sentence may follow.
    if ground == .comment ? !isText(byte) : byte < ASCII.space {
      abandonTagBlock()
      ground = .stray
    }
    switch ground {
    case .comment: counters.skippedBytes &+= 1
    case .overlong: counters.lostBytes &+= 1
    case .tagBlock: passInTagBlock(byte)
    case .lineStart where byte == ASCII.numberSign && skipsComments:
      counters.skippedBytes &+= 1
      ground = .comment
    case .lineStart where byte == ASCII.backslash:
      openTagBlockBytes = 1
      ground = .tagBlock
    case .lineStart, .stray:
      counters.strayBytes &+= 1
      countControl(byte)
      ground = .stray
    }
  }

  /// Whether a byte is printable ASCII or a tab.
  private func isText(_ byte: UInt8) -> Bool {
    (ASCII.space...0x7E).contains(byte) || byte == 0x09
  }

  /// Counts a stray byte that no text has: tabs, line ends, form feeds and escapes are in some.
  private mutating func countControl(_ byte: UInt8) {
    if byte < ASCII.space, !(0x09...0x0D).contains(byte), byte != 0x1B {
      counters.controlBytes &+= 1
    }
  }

  private mutating func passInTagBlock(_ byte: UInt8) {
    openTagBlockBytes &+= 1
    guard byte == ASCII.backslash else { return }
    counters.tagBlocks &+= 1
    counters.skippedBytes &+= openTagBlockBytes
    openTagBlockBytes = 0
    ground = .lineStart
  }
}
