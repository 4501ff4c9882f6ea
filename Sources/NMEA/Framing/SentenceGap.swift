// SPDX-License-Identifier: Apache-2.0

/// The bytes between two sentences, which are skipped and counted, and the lines.
struct SentenceGap: Sendable {
  /// The position among the bytes between two sentences.
  enum State: UInt8 {
    /// After a line ending.
    case lineStart
    /// After a CR, which may be the first byte of a line ending.
    case carriageReturn
    /// After bytes that belong to no sentence, comment or tag block.
    case stray
    /// In a line that began with `#` and may be a log.
    case logName
    /// In a line that began with `#` and is a comment.
    case comment
    /// After a `\`, up to the next `\`.
    case tagBlock
    /// In the rest of an overlong line.
    case overlong
  }

  /// The beginning of the only supported log, which has a `#` instead of a `$`.
  static let logName = [UInt8]("#UNIHEADINGA,".utf8)

  /// Whether lines that begin with `#` are comments, as in recorded logs.
  private let skipsComments: Bool

  private(set) var state = State.lineStart

  private(set) var counters = LineFramer.Counters()

  /// The number of the line being read, from 1.
  private(set) var lineNumber = 1

  /// The number of bytes of ``logName`` that have been read, in ``State/logName``.
  private var logNameCount = 0

  /// Whether the `#` in ``State/logName`` followed stray bytes, and so begins no comment.
  private var isLogNameStray = false

  /// The length in bytes of a tag block that is not complete yet.
  private var openTagBlockBytes: UInt64 = 0

  init(skipsComments: Bool) { self.skipsComments = skipsComments }

  /// Skips and counts the bytes between sentences, and returns the offset of the next sentence.
  ///
  /// Returns the byte count if no sentence starts.
  mutating func skipToStart(in bytes: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < bytes.count {
      let byte = bytes[position]
      if state == .carriageReturn, byte != ASCII.lineFeed, byte != ASCII.carriageReturn {
        // The line ended with a CR alone.
        lineNumber &+= 1
        state = .lineStart
      }
      if isStart(byte) {
        abandon()
        return position
      }
      position &+= 1
      if state == .logName {
        if continuesLogName(byte) {
          if logNameCount == Self.logName.count { return position }
          continue
        }
        abandonLogName()
      }
      skip(byte)
      if state == .comment { position = skipComment(in: bytes, from: position) }
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

  /// Begins the gap after a sentence and its whole line ending.
  mutating func endLine() {
    lineNumber &+= 1
    state = .lineStart
  }

  /// Begins the gap after a sentence and a CR, which may be its whole line ending.
  mutating func beginLineEnding() { state = .carriageReturn }

  /// Counts an overlong line; the rest of the line is skipped as ``State/overlong``.
  mutating func drop(overlongLine length: Int) {
    counters.overlongLines &+= 1
    counters.lostBytes &+= UInt64(length)
    state = .overlong
  }

  /// Counts a line that a `$` has interrupted, or a single `$` as a stray byte.
  ///
  /// A single `$` is no broken line, because one manufacturer starts every sentence with `$$`.
  mutating func drop(brokenLine length: Int) {
    if length > 1 {
      counters.brokenLines &+= 1
      counters.lostBytes &+= UInt64(length)
    } else {
      counters.strayBytes &+= 1
    }
  }

  /// Counts a line that a control character has ended.
  mutating func drop(strayLine length: Int) {
    counters.strayBytes &+= UInt64(length)
    state = .stray
  }

  /// Ends the gap at the end of the input.
  mutating func finish() {
    abandon()
    state = .lineStart
  }

  /// Counts the bytes of an unfinished tag block or name of a log, because a sentence begins.
  private mutating func abandon() {
    abandonTagBlock()
    abandonLogName()
  }

  /// Whether the gap ends with the name of a log, whose rest is a sentence.
  var endsWithLogName: Bool { state == .logName && logNameCount == Self.logName.count }

  /// Ends the gap after the name of a log.
  mutating func endLogName() {
    logNameCount = 0
    state = .lineStart
  }

  /// Counts the bytes of an unfinished tag block as stray, because another line or sentence begins.
  private mutating func abandonTagBlock() {
    guard state == .tagBlock else { return }
    counters.strayBytes &+= openTagBlockBytes
    openTagBlockBytes = 0
    state = .stray
  }

  /// Counts the bytes of an incomplete name of a log as a comment or as stray.
  private mutating func abandonLogName() {
    guard state == .logName else { return }
    if skipsComments, !isLogNameStray {
      counters.skippedBytes &+= UInt64(logNameCount)
      state = .comment
    } else {
      counters.strayBytes &+= UInt64(logNameCount)
      state = .stray
    }
    logNameCount = 0
  }

  /// Returns whether a byte starts a sentence.
  ///
  /// Within a comment, neither `$` nor `!` starts a sentence. After an overlong line, only `$`
  /// does. Inlined, because the compiler copies the whole gap to call a nonmutating function.
  @inline(__always)
  private func isStart(_ byte: UInt8) -> Bool {
    switch byte {
    case ASCII.dollar: !isComment
    case ASCII.exclamationMark: !isComment && state != .overlong
    default: false
    }
  }

  /// Whether a `$` belongs to a comment.
  private var isComment: Bool {
    state == .comment || (state == .logName && skipsComments && !isLogNameStray)
  }

  private mutating func skip(_ byte: UInt8) {
    if byte == ASCII.lineFeed || byte == ASCII.carriageReturn {
      if byte == ASCII.lineFeed { lineNumber &+= 1 }
      abandonTagBlock()
      // A CR at the start of a line, as in LF CR, ends no further line.
      if byte == ASCII.lineFeed {
        state = .lineStart
      } else if state != .lineStart {
        state = .carriageReturn
      }
      return
    }
    // A control character ends a tag block. A byte that is not text ends a comment: in binary data
    // `\r#` occurs by chance, and a sentence may follow.
    if state == .comment ? !isText(byte) : byte < ASCII.space {
      abandonTagBlock()
      state = .stray
    }
    switch state {
    case .comment: counters.skippedBytes &+= 1
    case .overlong: counters.lostBytes &+= 1
    case .tagBlock: skipInTagBlock(byte)
    case .lineStart where byte == ASCII.numberSign, .stray where byte == ASCII.numberSign:
      // A log may follow binary data, such as corrections.
      logNameCount = 1
      isLogNameStray = state == .stray
      state = .logName
    case .lineStart where byte == ASCII.backslash:
      openTagBlockBytes = 1
      state = .tagBlock
    case .lineStart, .carriageReturn, .stray, .logName:
      counters.strayBytes &+= 1
      countControl(byte)
      state = .stray
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
    state = .lineStart
  }
}

extension LineFramer {
  /// The numbers of bytes and lines that were not passed on as sentences.
  ///
  /// Every byte of the input belongs to a sentence passed on, to one of these counters, to a line
  /// ending, or to the partial line.
  public struct Counters: Equatable, Sendable {
    /// Bytes that belong to no sentence; line endings, comments and tag blocks are not counted.
    public var strayBytes: UInt64 = 0
    /// Stray control characters, except 0x09 to 0x0D and escape, which occur in text.
    public var controlBytes: UInt64 = 0
    /// Lines dropped because they were longer than ``LineFramer/maximumLineLength``.
    public var overlongLines: UInt64 = 0
    /// Lines that a `$` or the end of the input interrupted before their checksum.
    public var brokenLines: UInt64 = 0
    /// Bytes of the overlong and broken lines.
    public var lostBytes: UInt64 = 0
    /// NMEA 4 tag blocks (`\...\` before a sentence).
    public var tagBlocks: UInt64 = 0
    /// Bytes of tag blocks and of comments.
    public var skippedBytes: UInt64 = 0
  }
}
