// SPDX-License-Identifier: Apache-2.0

@testable import NMEA

/// The output of a framer for an input.
struct Framed: Equatable {
  struct Line: Equatable {
    var bytes: [UInt8]
    var exclusiveOr: UInt8
    var number: Int
  }

  var lines: [Line] = []
  var counters = LineFramer.Counters()
  var lineNumber = 1

  init() {}

  /// Frames the input, split at the given offsets.
  init(_ bytes: [UInt8], cutAt cuts: [Int] = [], skipsComments: Bool = false) {
    var framer = LineFramer(skipsComments: skipsComments)
    var lines: [Line] = []
    func take(_ line: Span<UInt8>, _ exclusiveOr: UInt8, _ number: Int) {
      lines.append(
        Line(bytes: line.indices.map { line[$0] }, exclusiveOr: exclusiveOr, number: number))
    }
    for chunk in bytes.chunks(cutAt: cuts) { framer.frame(chunk.span, take) }
    framer.finish(take)
    self.lines = lines
    counters = framer.counters
    lineNumber = framer.lineNumber
  }

  /// The lines as text.
  var texts: [String] { lines.map { String(decoding: $0.bytes, as: UTF8.self) } }

  /// The number of bytes that belong to a line or to a counter.
  var accountedBytes: Int {
    lines.reduce(0) { $0 + $1.bytes.count }
      + Int(counters.strayBytes + counters.lostBytes + counters.skippedBytes)
  }
}
