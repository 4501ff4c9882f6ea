// SPDX-License-Identifier: Apache-2.0

/// Parses sentences from a stream of bytes.
///
/// Every line is passed to a ``SentenceHandler`` or counted in ``framing``. Invalid input never
/// stops the reader. In steady state the reader does not allocate memory.
public struct SentenceReader: Sendable {
  /// The strictness of a reader.
  public struct Options: Sendable {
    /// Whether sentences without a checksum are accepted.
    ///
    /// NMEA 0183 made the checksum optional for some sentences. In the data of current receivers, a
    /// line without a checksum is usually a broken line.
    public var allowsMissingChecksum = false
    /// Whether lines that begin with `#` are comments, as in recorded logs.
    public var skipsComments = false

    /// Makes strict options for a live line.
    public init() {}
  }

  /// Bytes appended to a line without a checksum.
  private static let missingChecksum = [UInt8](repeating: ASCII.asterisk, count: 8)

  /// The strictness of this reader.
  public let options: Options

  private var framer: LineFramer

  /// Makes a reader at the start of a stream.
  public init(options: Options = Options()) {
    self.options = options
    framer = LineFramer(skipsComments: options.skipsComments)
  }

  /// The numbers of bytes and lines that were not parsed as sentences.
  public var framing: LineFramer.Counters { framer.counters }

  /// Reads the next bytes and passes every line that ends in them to the handler.
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes, split anywhere.
  ///   - handler: Receives each line, in order.
  public mutating func read(_ bytes: Span<UInt8>, into handler: inout some SentenceHandler) {
    let options = options
    framer.frame(bytes) { line, exclusiveOr, lineNumber in
      Self.read(line, exclusiveOr, lineNumber, options, &handler)
    }
  }

  /// Passes a last sentence without a line ending to the handler.
  public mutating func finish(into handler: inout some SentenceHandler) {
    let options = options
    framer.finish { line, exclusiveOr, lineNumber in
      Self.read(line, exclusiveOr, lineNumber, options, &handler)
    }
  }

  private static func read(
    _ line: Span<UInt8>, _ exclusiveOr: UInt8, _ lineNumber: Int, _ options: Options,
    _ handler: inout some SentenceHandler
  ) {
    switch Checksum.check(line, exclusiveOr: exclusiveOr) {
    case .valid(let star): read(line, end: star, lineNumber, &handler)
    case .missing where options.allowsMissingChecksum:
      // The field reader needs a `*` at the end, and the address reader reads eight bytes. The line
      // is therefore copied and extended; lines with a checksum are never copied.
      handler.beginUncheckedLine()
      let completed = line.indices.map { line[$0] } + Self.missingChecksum  // No trap: arrays.
      // Some receivers send the `*` without the digits.
      let isStarred = line.count > 0 && line[line.count &- 1] == ASCII.asterisk
      read(completed.span, end: isStarred ? line.count &- 1 : line.count, lineNumber, &handler)
    case .missing: handler.report(refusal(.missingChecksum, line, lineNumber))
    case .mismatch(let computed, let found):
      let kind = SentenceError.Kind.checksumMismatch(
        computed: UInt32(truncatingIfNeeded: computed),
        found: UInt32(truncatingIfNeeded: found))
      handler.report(refusal(kind, line, lineNumber))
    case .cyclicMismatch:
      let (computed, found) = Checksum.cyclicChecksums(of: line)
      let kind = SentenceError.Kind.checksumMismatch(computed: computed, found: found)
      handler.report(refusal(kind, line, lineNumber))
    }
  }

  @inline(__always)
  private static func read(
    _ line: Span<UInt8>, end: Int, _ lineNumber: Int, _ handler: inout some SentenceHandler
  ) {
    guard let address = SentenceAddress(line, end: end),
      var fields = FieldReader(line, from: min(address.end, end), to: end)
    else {
      return handler.report(refusal(.malformedAddress, line, lineNumber))
    }
    guard !address.isEncapsulation, let sentence = SentenceCatalog.read(address, &fields) else {
      return handler.passOver(address)
    }
    guard fields.flaw != nil else { return handler.take(sentence, from: address) }
    reportFlaw(fields, line, lineNumber, address, sentence, &handler)
  }

  @inline(never)
  private static func reportFlaw(
    _ fields: borrowing FieldReader, _ line: Span<UInt8>, _ lineNumber: Int,
    _ address: SentenceAddress, _ sentence: borrowing Sentence,
    _ handler: inout some SentenceHandler
  ) {
    guard let flaw = fields.flaw else { return }
    if !flaw.isRefusal { handler.take(sentence, from: address) }
    handler.report(
      SentenceError(
        kind: flaw.kind, lineNumber: lineNumber, address: address, field: flaw.field,
        value: RawValue(line.extracting(flaw.start..<flaw.end)),
        isRefusal: flaw.isRefusal))
  }

  @inline(never)
  private static func refusal(
    _ kind: SentenceError.Kind, _ line: Span<UInt8>, _ lineNumber: Int
  ) -> SentenceError {
    SentenceError(
      kind: kind, lineNumber: lineNumber, address: nil, field: nil, value: RawValue(line),
      isRefusal: true)
  }
}
