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
  public var counters: Counters { gap.counters }

  /// The number of the line being read, from 1: the number of line endings read, plus one.
  public var lineNumber: Int { gap.lineNumber }

  /// The `$` with which ``finish(_:)`` ends the last line, as the next sentence would.
  private static let endOfInput: [UInt8] = [ASCII.dollar]

  /// The bytes of a sentence that is not complete yet.
  private var partial: [UInt8] = []

  /// The bytes before the next sentence.
  private var gap: SentenceGap

  /// Makes a framer at the start of a stream.
  ///
  /// - Parameter skipsComments: Whether lines that begin with `#` are comments, as in recorded
  ///   logs. On a live line `#` is noise.
  public init(skipsComments: Bool = false) {
    gap = SentenceGap(skipsComments: skipsComments)
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
      if bytes[position] != ASCII.dollar || gap.state != .lineStart {
        position = gap.skipToStart(in: bytes, from: position)
        if gap.endsWithLogName {
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
    gap.finish()
  }

  /// Reads the rest of a log after its name; returns how many bytes were used.
  @inline(never)
  private mutating func completeLog(
    with bytes: Span<UInt8>, _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    gap.endLogName()
    for index in SentenceGap.logName.indices { partial.append(SentenceGap.logName[index]) }
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
      gap.drop(overlongLine: length)
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

  /// Calls `body` with a line that has ended, or counts the line; returns the next line's offset.
  private mutating func end(
    _ line: Span<UInt8>, _ exclusiveOr: UInt8, at next: Int, in source: Span<UInt8>,
    _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let terminator = source[next]
    if terminator == ASCII.dollar {
      // The line was interrupted, unless only its line ending is missing.
      if Checksum.isPresent(atEndOf: line) {
        body(line, exclusiveOr, lineNumber)
      } else {
        gap.drop(brokenLine: line.count)
      }
      return next
    }
    if terminator != ASCII.lineFeed && terminator != ASCII.carriageReturn {
      // The line ends with a control character: this is binary data that contained a `$` by chance.
      gap.drop(strayLine: line.count)
      return next
    }
    body(line, exclusiveOr, lineNumber)
    if terminator == ASCII.lineFeed {
      gap.endLine()
      return next &+ 1
    }
    // Most receivers send CR LF; reading both bytes here avoids a call of `skipToStart`.
    guard next &+ 1 < source.count, source[next &+ 1] == ASCII.lineFeed else {
      gap.beginLineEnding()
      return next &+ 1
    }
    gap.endLine()
    return next &+ 2
  }

  /// Appends bytes to the partial sentence until that sentence ends; returns how many were used.
  private mutating func completePartial(
    with bytes: Span<UInt8>, _ body: (Span<UInt8>, UInt8, Int) -> Void
  ) -> Int {
    let stop = LineScanner.scan(bytes, from: 0)
    let fits = partial.count &+ stop.position <= Self.maximumLineLength
    if !fits {
      gap.drop(overlongLine: partial.count &+ stop.position)
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
