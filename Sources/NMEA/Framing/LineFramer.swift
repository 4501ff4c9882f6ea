// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into sentences, whatever stands between them.
///
/// A sentence begins at `$` or `!` and ends before the first control character: CR LF, LF alone,
/// CR CR LF and CR alone all occur. A `$` inside a line begins a new sentence, so `$$GPRMC` and a
/// sentence broken off by the next one cost no more than what is really lost. Everything else
/// (binary protocols, tag blocks, noise) is passed over and counted.
///
/// The framer keeps at most one partial sentence, and allocates once.
public struct LineFramer: Sendable {
  /// The longest line taken, in bytes from `$` to before the line ending.
  ///
  /// NMEA 0183 says 82; real-time kinematic receivers and telephone chips send over 400.
  public static let maximumLineLength = 1024

  /// What has been passed over so far.
  public internal(set) var counters = Counters()

  /// The number of the line being read, from 1: how many LF have gone by, plus one.
  public internal(set) var lineNumber = 1

  /// Whether lines that begin with `#` are comments, as in recorded logs.
  let skipsComments: Bool

  /// What ends a line that the input breaks off: the same as the next sentence.
  private static let endOfInput: [UInt8] = [ASCII.dollar]

  /// The beginning of a sentence whose end has not come yet.
  var partial: [UInt8] = []

  /// What the bytes before the next sentence are.
  var ground = Ground.lineStart

  /// How long the tag block is that has begun and not ended.
  var openTagBlockBytes: UInt64 = 0

  /// Between sentences.
  enum Ground: UInt8 {
    /// After a line ending.
    case lineStart
    /// After bytes that belong to nothing.
    case stray
    /// In a line that began with `#`.
    case comment
    /// After a `\`, up to the next.
    case tagBlock
    /// In a line that is too long, up to its end.
    case overlong
  }

  /// Makes a framer at the start of a stream.
  ///
  /// - Parameter skipsComments: Whether lines that begin with `#` are comments, as in recorded
  ///   logs. On a live line `#` is noise like any other.
  public init(skipsComments: Bool = false) {
    self.skipsComments = skipsComments
    partial.reserveCapacity(Self.maximumLineLength + 8)
  }

  /// Takes the next bytes and hands out every sentence that they complete.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes, cut anywhere.
  ///   - body: Takes a sentence from its `$` or `!` to before its line ending, and the exclusive
  ///     or of all its bytes but the first.
  public mutating func frame(
    _ bytes: Span<UInt8>,
    _ body: (_ line: Span<UInt8>, _ exclusiveOr: UInt8, _ lineNumber: Int) -> Void
  ) {
    var position = 0
    if !partial.isEmpty { position = completePartial(with: bytes, body) }
    while position < bytes.count {
      if bytes[position] != ASCII.dollar || ground != .lineStart {
        position = skipToStart(in: bytes, from: position)
        guard position < bytes.count else { return }
      }
      position = takeLine(in: bytes, from: position, body)
    }
  }

  /// Hands out a last sentence that ends with the input instead of with a line ending.
  ///
  /// - Parameter body: Takes the sentence, as in ``frame(_:_:)``.
  public mutating func finish(
    _ body: (_ line: Span<UInt8>, _ exclusiveOr: UInt8, _ lineNumber: Int) -> Void
  ) {
    // The end of the input ends a line as the next `$` does: whole, or broken off.
    if !partial.isEmpty { _ = endPartial(at: 0, in: Self.endOfInput.span, body) }
    abandonTagBlock()
    ground = .lineStart
  }

  /// Reads one line that starts at `start`; keeps it where its end is not there yet.
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
    // In bounds: the scan begins behind `start`, and has stopped before the count.
    return end(
      bytes.extracting(unchecked: start..<stop.position), stop.exclusiveOr,
      at: stop.position, in: bytes, body)
  }

  /// Counts a line that is too long; what still comes of it goes by on the ground.
  private mutating func drop(_ length: Int) {
    counters.overlongLines &+= 1
    counters.lostBytes &+= UInt64(length)
    ground = .overlong
  }

  /// Hands out a line that has ended, and says where to go on.
  private mutating func end(
    _ line: Span<UInt8>, _ exclusiveOr: UInt8, at next: Int, in source: Span<UInt8>,
    _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let terminator = source[next]
    if terminator == ASCII.dollar {
      // `$$` is how one maker starts every sentence; anything longer was cut off, unless it is
      // whole but for its line ending.
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
      // A control character: binary data that happened to hold a `$`.
      counters.strayBytes &+= UInt64(line.count)
      ground = .stray
      return next
    }
    body(line, exclusiveOr, lineNumber)
    ground = .lineStart
    if terminator == ASCII.lineFeed {
      lineNumber &+= 1
      return next &+ 1
    }
    // CR LF is what most receivers send; taken at once it saves a turn through the ground.
    guard next &+ 1 < source.count, source[next &+ 1] == ASCII.lineFeed else { return next &+ 1 }
    lineNumber &+= 1
    return next &+ 2
  }

  /// Adds bytes to the kept beginning of a sentence until it ends, and says how many were used.
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

  /// Ends the kept line.
  ///
  /// It is moved out and back, so that it can be lent while the framer counts.
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
