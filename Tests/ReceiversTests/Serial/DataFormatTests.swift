// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import Receivers

/// Receivers with 7 data bits on a port that is read with 8 data bits.
@Suite(.timeLimit(.minutes(5))) struct DataFormatTests {
  private static let sentences: [UInt8] = (0..<4).flatMap { second in
    line("GPRMC,12000\(second).00,A,4530.0000,N,00730.0000,E,0.0,,010326,,,A")
      + line("GPGGA,12000\(second).00,4530.0000,N,00730.0000,E,1,08,1.0,300.0,M,48.0,M,,")
  }

  /// Returns 7-bit text as a port with 8 data bits receives it.
  private static func sent(_ bytes: [UInt8], as format: DataFormat) -> [UInt8] {
    bytes.map { byte in
      let isOdd = byte.nonzeroBitCount & 1 == 1
      let isSet =
        switch format {
        case .evenParity: isOdd
        case .oddParity: !isOdd
        case .twoStopBits: true
        }
      return isSet ? byte | 0x80 : byte
    }
  }

  @Test(arguments: DataFormat.allCases)
  func `the format of 7-bit text is recognized by the eighth bit of all bytes`(
    format: DataFormat
  ) {
    var detector = DataFormatDetector()
    let bytes = Self.sent(Self.sentences, as: format)
    detector.take(bytes.span.extracting(0..<40))
    #expect(detector.format == nil)
    detector.take(bytes.span.extracting(40..<90))
    #expect(detector.format == format)
  }

  @Test func `a format is recognized between bytes of noise, whatever the size of the reads`() {
    var bytes: [UInt8] = [0x00, 0xFF, 0x81]
    for (index, byte) in Self.sent(Self.sentences, as: .evenParity).enumerated() {
      bytes.append(byte)
      if index % 90 == 89 { bytes.append(0xFF) }
    }
    for size in [1, 64, 100, 256, bytes.count] {
      var detector = DataFormatDetector()
      for start in stride(from: 0, to: bytes.count, by: size) {
        detector.take(bytes.span.extracting(start..<min(start + size, bytes.count)))
      }
      #expect(detector.format == .evenParity, "\(size)")
    }
  }

  @Test func `8-bit text, binary data and noise are not taken for 7 data bits`() {
    var random = SplitMix64(seed: 7)
    let noise = (0..<4000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let text = Array(
      String(repeating: "\u{43F}\u{440}\u{438}\u{432}\u{435}\u{442} ", count: 90).utf8)
    // A line that is read at twice its baud rate has each bit twice.
    let doubled = Self.sentences.flatMap { byte -> [UInt8] in
      (0..<4).map { part in
        let bit: UInt8 = byte >> UInt8(2 * part) & 1 == 1 ? 0x03 : 0
        return bit | (byte >> UInt8(2 * part + 1) & 1 == 1 ? 0x0C : 0) | 0xC0
      }
    }
    for bytes in [Self.sentences, noise, text, doubled, [UInt8](repeating: 0xFF, count: 900)] {
      var detector = DataFormatDetector()
      for start in stride(from: 0, to: bytes.count, by: 100) {
        detector.take(bytes.span.extracting(start..<min(start + 100, bytes.count)))
      }
      #expect(detector.format == nil)
    }
  }

  @Test(arguments: DataFormat.allCases)
  func `a receiver with 7 data bits is read, and the format is in its counters`(
    format: DataFormat
  ) async throws {
    let counters = try await Self.read(Self.sent(Self.sentences, as: format)) {
      $0.fix?.mode == .threeDimensional
    }
    #expect(counters.dataFormat == format)
    #expect(counters.lines.text.hasSuffix("; the bytes are \(format)"))
  }

  @Test func `a port with refused sentences keeps the baud rate at which it receives them`()
    async throws
  {
    let refused = line("GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S")
    let bytes = (0..<8).flatMap { _ in refused } + line("GPTXT,01,01,02,ANTSTATUS=OPEN")
    let counters = try await Self.read(bytes) {
      if case .message = $0 { true } else { false }
    }
    #expect(counters.trials.bauds.isEmpty && counters.refusedSentences == 8)
  }

  /// Reads bytes from a pseudo-terminal until an event, and returns the counters of the source.
  private static func read(
    _ bytes: [UInt8], until isAwaited: @escaping @Sendable (FixSourceEvent) -> Bool
  ) async throws -> NMEACounters {
    let terminal = try PseudoTerminal()
    let (opened, events) = (EventRecorder<Bool>(), EventRecorder<FixSourceEvent>())
    let source = SerialSource(devnode: terminal.devnode)
    let task = Task {
      try await source.run(
        decoder: NMEADecoder(source: "test", pace: .live), onOpen: { opened.record(true) },
        delivering: { events.record($0) })
    }
    _ = await opened.wait(for: 1)
    terminal.write(bytes)
    await events.wait { $0.contains(where: isAwaited) }
    task.cancel()
    try await task.value
    return source.counters
  }
}
