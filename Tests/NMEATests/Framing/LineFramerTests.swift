// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import NMEA

private let heading = "$HEHDT,341.8,T*21"
private let status = "$GNTHS,244.28,A*11"

/// An input and the expected output of the framer, which does not depend on how the input is split.
struct FramingCase: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var input: [UInt8]
  var lines: [String]
  var numbers: [Int]
  var skipsComments = false
  var counters = LineFramer.Counters()

  init(
    _ name: String, _ input: String, _ lines: [String], at numbers: [Int],
    skipsComments: Bool = false, counting: (inout LineFramer.Counters) -> Void = { _ in }
  ) {
    self.init(
      name, [UInt8](input.utf8), lines, at: numbers, skipsComments: skipsComments,
      counting: counting)
  }

  init(
    _ name: String, _ input: [UInt8], _ lines: [String], at numbers: [Int],
    skipsComments: Bool = false, counting: (inout LineFramer.Counters) -> Void = { _ in }
  ) {
    testDescription = name
    self.input = input
    self.lines = lines
    self.numbers = numbers
    self.skipsComments = skipsComments
    counting(&counters)
  }

  static let endings: [FramingCase] = [
    .init("CR LF", "\(heading)\r\n\(status)\r\n", [heading, status], at: [1, 2]),
    .init("LF", "\(heading)\n\(status)\n", [heading, status], at: [1, 2]),
    .init("CR CR LF", "\(heading)\r\r\n\(status)\r\r\n", [heading, status], at: [1, 2]),
    .init("CR alone", "\(heading)\r\(status)\r", [heading, status], at: [1, 2]),
    .init("LF CR", "\(heading)\n\r\(status)\n\r", [heading, status], at: [1, 2]),
    .init("empty lines", "\n\r\n\r\r\n\(heading)\n\n\(status)\n", [heading, status], at: [4, 6]),
    .init(
      "no line ending at the end of the input", "\(heading)\n\(status)", [heading, status],
      at: [1, 2]),
    .init("half a line at the end of the input", "\(heading)\n$GNTHS,24", [heading], at: [1]) {
      $0.brokenLines = 1
      $0.lostBytes = 9
    },
    .init("empty input", "", [], at: []),
    .init("no checksum", "$GNTHS,24\r\n$\r\n", ["$GNTHS,24", "$"], at: [1, 2]),
  ]

  static let dollars: [FramingCase] = [
    .init("two dollars", "$\(heading)\r\n$\(status)\r\n", [heading, status], at: [1, 2]) {
      $0.strayBytes = 2
    },
    .init("many dollars", "$$$$\(heading)\n$$$", [heading], at: [1]) { $0.strayBytes = 7 },
    .init(
      "sentence after a complete line without an ending", heading + status + "\n",
      [heading, status], at: [1, 1]),
    .init("sentence after an interrupted line", "$GPGGA,09" + status + "\n", [status], at: [1]) {
      $0.brokenLines = 1
      $0.lostBytes = 9
    },
    .init("sentence after half a checksum", "$HEHDT,341.8,T*2" + status + "\n", [status], at: [1]) {
      $0.brokenLines = 1
      $0.lostBytes = 16
    },
    .init("sentence after text after a checksum", heading + " x" + status + "\n", [status], at: [1]) {
      $0.brokenLines = 1
      $0.lostBytes = 19
    },
    .init("exclamation mark", "!AIVDM,1*00\n\(status)\n", ["!AIVDM,1*00", status], at: [1, 2]),
    .init("exclamation mark in a line", "$GPTXT,a!b*00\n", ["$GPTXT,a!b*00"], at: [1]),
    .init("dollar in an encapsulated line", "!AIVDM,1" + status + "\n", [status], at: [1]) {
      $0.brokenLines = 1
      $0.lostBytes = 8
    },
  ]

  /// Two sentences and the bytes of binary messages around them.
  private static let binaryAround: [[UInt8]] = [
    [0xB5, 0x62, 0x01, 0x00, 0xFF], Array(heading.utf8), [0x0D, 0x0A, 0xD3, 0x00, 0x13, 0x0A],
    Array(status.utf8), [0x0D, 0x0A, 0xB5, 0x62],
  ]

  static let noise: [FramingCase] = [
    .init("text before", "hello \(heading)\n", [heading], at: [1]) { $0.strayBytes = 6 },
    .init("text between", "\(heading)\nhello\n\(status)\n", [heading, status], at: [1, 3]) {
      $0.strayBytes = 5
    },
    .init("binary around", Array(binaryAround.joined()), [heading, status], at: [1, 3]) {
      $0.strayBytes = 10
      $0.controlBytes = 4
    },
    .init("binary with a dollar", [0x24, 0x80, 0x91, 0x00, 0x07, 0x24, 0x01, 0x0A], [], at: []) {
      $0.strayBytes = 7
      $0.controlBytes = 3
    },
    .init("NUL in a line", "$GNTHS,24\0.28,A*11\n\(heading)\n", [heading], at: [2]) {
      $0.strayBytes = 18
      $0.controlBytes = 1
    },
    .init("NUL after a line", "\(heading)\0\(status)\n", [status], at: [1]) {
      $0.strayBytes = 18
      $0.controlBytes = 1
    },
    .init(
      "bytes above ASCII in a line", Array("$GPTXT,".utf8) + [0x7F, 0xC3, 0xA4, 0x0A],
      ["$GPTXT,\u{7F}\u{E4}"], at: [1]),
  ]

  static let between: [FramingCase] = [
    .init(
      "tag block", "\\s:r3,c:12*5E\\\(heading)\r\n\\g:1-2\\\(status)\n", [heading, status],
      at: [1, 2]
    ) {
      $0.tagBlocks = 2
      $0.skippedBytes = 21
    },
    .init("two tag blocks", "\\g:1-2\\\\s:r\\\(heading)\n", [heading], at: [1]) {
      $0.tagBlocks = 2
      $0.skippedBytes = 12
    },
    .init("unterminated tag block", "\\s:r3\r\n\(heading)\n\\s", [heading], at: [2]) {
      $0.strayBytes = 7
    },
    .init("tag block interrupted by a sentence", "\\s:r3\(heading)\n", [heading], at: [1]) {
      $0.strayBytes = 5
    },
    .init("tag block interrupted by binary data", "\\s:\u{1}\\\(heading)\n", [heading], at: [1]) {
      $0.strayBytes = 5
      $0.controlBytes = 1
    },
    .init("backslash in a line of noise", "x\\s:r3\\\(heading)\n", [heading], at: [1]) {
      $0.strayBytes = 7
    },
    .init("comment", "# \(status)!\\\t\r\n\(heading)\n#", [heading], at: [2], skipsComments: true) {
      $0.skippedBytes = 24
    },
    .init(
      "number sign in binary data before a sentence",
      [0x0D, 0x23, 0x41, 0x03] + heading.utf8 + [10],
      [heading], at: [1], skipsComments: true
    ) {
      $0.skippedBytes = 2
      $0.strayBytes = 1
      $0.controlBytes = 1
    },
    .init(
      "number sign before a byte above 7E", [0x0D, 0x23, 0xB5] + heading.utf8 + [10],
      [heading], at: [1], skipsComments: true
    ) {
      $0.skippedBytes = 1
      $0.strayBytes = 1
    },
    .init("comment that ends in CR", "# x\r\(heading)\r", [heading], at: [2], skipsComments: true) {
      $0.skippedBytes = 3
    },
    .init(
      "comment while comments are not skipped", "# \(status)\r\n\(heading)\n", [status, heading],
      at: [1, 2]
    ) {
      $0.strayBytes = 2
    },
    .init("number sign in noise", "x# \(status)\n", [status], at: [1], skipsComments: true) {
      $0.strayBytes = 3
    },
    .init("number sign in a line", "$GPTXT,#1\n", ["$GPTXT,#1"], at: [1], skipsComments: true),
  ]

  /// Returns a line of the given length: `$`, followed by one repeated character.
  private static func long(_ length: Int, _ byte: Character = "x") -> String {
    "$" + String(repeating: byte, count: length - 1)
  }

  static let lengths: [FramingCase] = [
    .init("1024 bytes", "\(long(1024))\r\n\(heading)\n", [long(1024), heading], at: [1, 2]),
    .init("1025 bytes", "\(long(1025))\r\n\(heading)\n", [heading], at: [2]) {
      $0.overlongLines = 1
      $0.lostBytes = 1025
    },
    .init("1024 bytes at the end", long(1021) + "*00", [long(1021) + "*00"], at: [1]),
    .init("1500 bytes, then a dollar", long(1500) + heading + "\n", [heading], at: [1]) {
      $0.overlongLines = 1
      $0.lostBytes = 1500
    },
    .init("1500 bytes at the end", long(1500), [], at: []) {
      $0.overlongLines = 1
      $0.lostBytes = 1500
    },
    .init("1500 exclamation marks", long(1500, "!") + "\n\(heading)\n", [heading], at: [2]) {
      $0.overlongLines = 1
      $0.lostBytes = 1500
    },
    .init("1500 number signs", long(1500, "#") + "\n", [], at: [], skipsComments: true) {
      $0.overlongLines = 1
      $0.lostBytes = 1500
    },
    .init("1500 backslashes, then binary", long(1500, "\\") + "\0!a\n", ["!a"], at: [1]) {
      $0.overlongLines = 1
      $0.lostBytes = 1500
      $0.strayBytes = 1
      $0.controlBytes = 1
    },
  ]
}

@Suite("Line framer")
struct LineFramerTests {
  static let cases =
    FramingCase.endings + FramingCase.dollars + FramingCase.noise + FramingCase.between
    + FramingCase.lengths

  @Test(arguments: cases)
  func `the line framer finds the lines and counts all other bytes`(example: FramingCase) {
    let framed = Framed(example.input, skipsComments: example.skipsComments)
    #expect(framed.texts == example.lines)
    #expect(framed.lines.map(\.number) == example.numbers)
    #expect(framed.counters == example.counters)
    for line in framed.lines { #expect(line.exclusiveOr == line.bytes.dropFirst().reduce(0, ^)) }
  }

  @Test(arguments: cases)
  func `the line framer finds the same lines wherever the input is split`(example: FramingCase) {
    let whole = Framed(example.input, skipsComments: example.skipsComments)
    for cut in 0...example.input.count {
      #expect(whole == Framed(example.input, cutAt: [cut], skipsComments: example.skipsComments))
    }
    let everywhere = Array(example.input.indices)
    #expect(whole == Framed(example.input, cutAt: everywhere, skipsComments: example.skipsComments))
  }

  @Test(arguments: cases)
  func `the sentence reader reads the same sentences wherever the input is split`(example: FramingCase) {
    for options in SentenceReader.Options.all {
      let whole = Reading(example.input, options: options)
      for cut in 0...example.input.count {
        #expect(whole == Reading(example.input, cutAt: [cut], options: options))
      }
    }
  }

  @Test(arguments: cases)
  func `the line framer accounts for every byte`(example: FramingCase) {
    let framed = Framed(example.input, skipsComments: example.skipsComments)
    let endings = example.input.count { $0 == 0x0A || $0 == 0x0D }
    #expect(framed.accountedBytes + endings == example.input.count)
  }

  @Test(arguments: [false, true])
  func `the line framer agrees with a reference implementation on random bytes`(skipsComments: Bool) {
    // Most of these bytes have a special meaning for the framer; `*00` makes complete lines
    // possible.
    let letters: [[UInt8]] = [
      [0x24], [0x21], [0x23], [0x5C], [0x0D], [0x0A], [0x0D, 0x0A], [0x00], [0x2A, 0x30, 0x61],
      [0x80], Array("GPGGA,".utf8), [UInt8](repeating: 0x78, count: 600),
    ]
    var random = Random(seed: 1)
    for _ in 0..<RandomInputs.count(20_000) {
      let bytes = (0..<random.number(in: 0...16)).flatMap { _ in
        letters[random.number(in: 0...(random.happens(oneIn: 8) ? 11 : 10))]
      }
      let expected = ReferenceFramer.frame(bytes, skipsComments: skipsComments)
      let cuts = random.cuts(of: bytes.count)
      #expect(expected == Framed(bytes, cutAt: cuts, skipsComments: skipsComments), "\(bytes)")
    }
  }

  @Test func `the line framer keeps no bytes after finish()`() {
    var framer = LineFramer(skipsComments: true)
    var lines = 0
    for rest in ["$GPGGA,1", "# comment", "\\s:r", "x"] {
      framer.frame([UInt8](rest.utf8).span) { _, _, _ in lines += 1 }
      framer.finish { _, _, _ in lines += 1 }
      #expect(lines == 0)
      framer.frame([UInt8]("\(heading)\n".utf8).span) { _, _, _ in lines += 1 }
      #expect(lines == 1)
      lines = 0
    }
  }
}
