// SPDX-License-Identifier: Apache-2.0

/// Splits a stream of bytes into sentences and skips all other bytes.
///
/// A sentence begins at `$` or `!` and ends before the first control character, because the line
/// ending may be LF, CR, CR LF or CR CR LF. A `$` inside a line begins a new sentence, so the
/// sentence in `$$GPRMC` is read, and so is a sentence that interrupts another. A line that begins
/// with `#UNIHEADINGA` is a sentence, too. Everything else (binary protocols, tag blocks, noise) is
/// skipped and counted.
///
/// The framer buffers at most one partial sentence, and allocates once.
public struct LineFramer: Sendable {
  /// The maximum length of a line in bytes, from `$` to before the line ending.
  ///
  /// NMEA 0183 allows 82 bytes; real-time kinematic receivers and telephone chips send over 400.
  public static let maximumLineLength = 1024

  /// Counts of the bytes and lines skipped so far.
  public internal(set) var counters = Counters()

  /// The number of the line being read, from 1: the number of line endings read, plus one.
  public internal(set) var lineNumber = 1

  /// Whether lines that begin with `#` are comments, as in recorded logs.
  let skipsComments: Bool

  /// The beginning of the only supported log, which has a `#` instead of a `$`.
  static let logName = [UInt8]("#UNIHEADINGA,".utf8)

  /// The `$` with which ``finish(_:)`` ends the last line, as the next sentence would.
  private static let endOfInput: [UInt8] = [ASCII.dollar]

  /// The bytes of a sentence that is not complete yet.
  var partial: [UInt8] = []

  /// The kind of bytes before the next sentence.
  var gap = Gap.lineStart

  /// The number of bytes of ``logName`` that have been read, in ``Gap/logName``.
  var logNameCount = 0

  /// Whether the `#` in ``Gap/logName`` followed stray bytes, and so begins no comment.
  var isLogNameStray = false

  /// The length in bytes of a tag block that is not complete yet.
  var openTagBlockBytes: UInt64 = 0

  /// The state of the framer between two sentences.
  enum Gap: UInt8 {
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

  /// Makes a framer at the start of a stream.
  ///
  /// - Parameter skipsComments: Whether lines that begin with `#` are comments, as in recorded
  ///   logs. On a live line `#` is noise.
  public init(skipsComments: Bool = false) {
    self.skipsComments = skipsComments
    partial.reserveCapacity(Self.maximumLineLength + 8)  // No trap: constants.
  }

  /// Reads the next bytes and calls `body` with every sentence that ends in them.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes, split anywhere.
  ///   - body: Receives each sentence from its `$` or `!` to before its line ending, the exclusive
  ///     or of all bytes of the sentence except the first, and its line number.
  @inline(__always)
  public mutating func frame(
    _ bytes: Span<UInt8>,
    _ body: (_ line: Span<UInt8>, _ exclusiveOr: UInt8, _ lineNumber: Int) -> Void
  ) {
    var position = 0
    if !partial.isEmpty { position = completePartial(with: bytes, body) }
    while position < bytes.count {
      if bytes[position] != ASCII.dollar || gap != .lineStart {
        position = skipToStart(in: bytes, from: position)
        if gap == .logName, logNameCount == Self.logName.count {
          position &+= completeLog(with: bytes.extracting(position..<bytes.count), body)
          continue
        }
        guard position < bytes.count else { return }
      }
      position = takeLine(in: bytes, from: position, body)
    }
  }

  /// Calls `body` with a last sentence that has no line ending.
  ///
  /// - Parameter body: Receives the sentence, as in ``frame(_:_:)``.
  public mutating func finish(
    _ body: (_ line: Span<UInt8>, _ exclusiveOr: UInt8, _ lineNumber: Int) -> Void
  ) {
    // Treat the end of the input like a `$`: the partial line is a sentence if it has a checksum,
    // and otherwise a broken line.
    if !partial.isEmpty { _ = endPartial(at: 0, in: Self.endOfInput.span, body) }
    abandonTagBlock()
    abandonLogName()
    gap = .lineStart
  }

  /// Reads the rest of a log after its name; returns how many bytes were used.
  @inline(never)
  private mutating func completeLog(
    with bytes: Span<UInt8>, _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    logNameCount = 0
    gap = .lineStart
    for index in Self.logName.indices { partial.append(Self.logName[index]) }
    return completePartial(with: bytes, body)
  }

  /// Reads one line that starts at `start`; buffers a line that does not end in `bytes`.
  @inline(__always)
  private mutating func takeLine(
    in bytes: Span<UInt8>, from start: Int, _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let stop = LineScanner.scan(bytes, from: start &+ 1)
    let length = stop.position &- start
    guard length <= Self.maximumLineLength else {
      drop(length)
      return stop.position
    }
    guard stop.position < bytes.count else {
      let rest = bytes.extracting(start..<bytes.count)
      for index in rest.indices { partial.append(rest[index]) }
      return stop.position
    }
    // The offset is in bounds: the scan began after `start` and stopped before the end.
    return end(
      bytes.extracting(unchecked: start..<stop.position), stop.exclusiveOr,
      at: stop.position, in: bytes, body)
  }

  /// Counts an overlong line; the rest of the line is skipped as ``Gap/overlong``.
  private mutating func drop(_ length: Int) {
    counters.overlongLines &+= 1
    counters.lostBytes &+= UInt64(length)
    gap = .overlong
  }

  /// Calls `body` with a line that has ended, or counts the line; returns the next line's offset.
  private mutating func end(
    _ line: Span<UInt8>, _ exclusiveOr: UInt8, at next: Int, in source: Span<UInt8>,
    _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let terminator = source[next]
    if terminator == ASCII.dollar {
      // A single `$` is no broken line, because one manufacturer starts every sentence with `$$`. A
      // longer line was interrupted, unless only its line ending is missing.
      if Checksum.isPresent(atEndOf: line) {
        body(line, exclusiveOr, lineNumber)
      } else if line.count > 1 {
        counters.brokenLines &+= 1
        counters.lostBytes &+= UInt64(line.count)
      } else {
        counters.strayBytes &+= 1
      }
      return next
    }
    if terminator != ASCII.lineFeed && terminator != ASCII.carriageReturn {
      // The line ends with a control character: this is binary data that contained a `$` by chance.
      counters.strayBytes &+= UInt64(line.count)
      gap = .stray
      return next
    }
    body(line, exclusiveOr, lineNumber)
    gap = .lineStart
    if terminator == ASCII.lineFeed {
      lineNumber &+= 1
      return next &+ 1
    }
    // Most receivers send CR LF; reading both bytes here avoids a call of `skipToStart`.
    guard next &+ 1 < source.count, source[next &+ 1] == ASCII.lineFeed else {
      gap = .carriageReturn
      return next &+ 1
    }
    lineNumber &+= 1
    return next &+ 2
  }

  /// Appends bytes to the partial sentence until that sentence ends; returns how many were used.
  private mutating func completePartial(
    with bytes: Span<UInt8>, _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let stop = LineScanner.scan(bytes, from: 0)
    let fits = partial.count &+ stop.position <= Self.maximumLineLength
    if !fits {
      drop(partial.count &+ stop.position)
      partial.removeAll(keepingCapacity: true)
      return stop.position
    }
    for index in 0..<stop.position { partial.append(bytes[index]) }
    guard stop.position < bytes.count else { return stop.position }
    return endPartial(at: stop.position, in: bytes, body)
  }

  /// Ends the partial line.
  ///
  /// The array is moved out and back, so that `body` can borrow it while the counters change.
  private mutating func endPartial(
    at next: Int, in source: Span<UInt8>, _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    var kept: [UInt8] = []
    swap(&kept, &partial)
    let position = end(whole: kept, at: next, in: source, body)
    kept.removeAll(keepingCapacity: true)
    swap(&kept, &partial)
    return position
  }

  private mutating func end(
    whole kept: borrowing [UInt8], at next: Int, in source: Span<UInt8>,
    _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let line = kept.span
    return end(
      line, Checksum.exclusiveOr(of: line.extracting(1...)), at: next, in: source, body)
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
