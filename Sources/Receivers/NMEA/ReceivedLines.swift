// SPDX-License-Identifier: Apache-2.0

/// The counts of the lines that a source received, in the words of every command, page and metric.
///
/// A line begins with `$` or `!`. Other text is counted in ``bytes`` only.
package struct ReceivedLines: Equatable, Sendable {
  /// The result of reading a line.
  package enum Result: String, CaseIterable, Sendable {
    /// A sentence that was used.
    case used
    /// A sentence of a type that is not used.
    case unused
    /// A sentence with a right checksum and refused content.
    case refused
    /// A line with a wrong checksum.
    case wrongChecksum
    /// A line without a checksum.
    case noChecksum
    /// A line that was interrupted or too long.
    case cut
    /// A line without the address of a sentence.
    case other

    /// The result as text after a number.
    package var text: String {
      switch self {
      case .used: "used"
      case .unused: "of no interest"
      case .refused: "refused"
      case .wrongChecksum: "with a wrong checksum"
      case .noChecksum: "without a checksum"
      case .cut: "cut off"
      case .other: "not NMEA"
      }
    }

    /// The value of the label `result` in the metrics.
    package var label: String {
      switch self {
      case .wrongChecksum: "wrong_checksum"
      case .noChecksum: "no_checksum"
      default: rawValue
      }
    }
  }

  /// The number of bytes.
  package var bytes: UInt64 = 0
  /// The number of used sentences without a checksum, which the settings of the source allow.
  package var uncheckedCount: UInt64 = 0
  /// The first refused sentence: its address, field and the reason.
  package var firstRefused: String?
  /// The data bits and the parity of the bytes; `nil` for 8 data bits without parity.
  package var dataFormat: DataFormat?
  private var counts: [Result: UInt64] = [:]

  package init() {}

  /// The number of lines with a result.
  package subscript(result: Result) -> UInt64 {
    get { counts[result] ?? 0 }
    set { counts[result] = newValue > 0 ? newValue : nil }
  }

  /// The number of lines.
  package var lineCount: UInt64 { counts.values.reduce(0, &+) }

  /// The number of lines that were neither used nor of no interest.
  package var badLineCount: UInt64 { lineCount &- self[.used] &- self[.unused] }

  /// Whether more than one of 20 lines is bad, which shows a fault of the cable or of the receiver.
  ///
  /// While lines are used, this is `false` for fewer than 40 lines, because the search for the baud
  /// rate damages the first ones.
  package var hasManyBadLines: Bool {
    badLineCount > lineCount / 20 && (self[.used] == 0 || lineCount >= 40)
  }

  /// The counts as one line of text, without results that did not occur.
  package var text: String {
    var text = "\(bytes) bytes, "
    if lineCount == 0 {
      text += "no line of NMEA"
    } else {
      let results = Result.allCases.filter { self[$0] > 0 || $0 == .used }
      text += "\(lineCount) \(lineCount == 1 ? "line" : "lines"): "
      text += results.map { "\(self[$0]) \($0.text)\(remark(on: $0))" }.joined(separator: ", ")
    }
    return text + (dataFormat.map { "; the bytes are \($0)" } ?? "")
  }

  private func remark(on result: Result) -> String {
    switch result {
    case .used: uncheckedCount > 0 ? " (\(uncheckedCount) without a checksum)" : ""
    case .refused: firstRefused.map { " (the first: \($0))" } ?? ""
    default: ""
    }
  }
}

extension NMEACounters {
  /// The counts of the lines.
  package var lines: ReceivedLines {
    var lines = ReceivedLines()
    lines.bytes = bytes
    lines.uncheckedCount = uncheckedSentences
    lines.firstRefused = firstRefused
    lines.dataFormat = dataFormat
    lines[.used] = sentences &- unknownSentences
    lines[.unused] = unknownSentences
    lines[.refused] = refusedSentences
    lines[.wrongChecksum] = wrongChecksums
    lines[.noChecksum] = linesWithoutChecksum
    lines[.cut] = cutLines
    lines[.other] = otherLines
    return lines
  }
}
