// SPDX-License-Identifier: Apache-2.0

/// The kind of data that a serial line carries, the least useful first.
package enum LineInput: String, CaseIterable, Comparable, Sendable {
  /// No data.
  case none
  /// Data that is neither text nor NMEA: the baud rate is wrong, or the protocol is binary.
  case unreadable
  /// Text without NMEA, such as from a serial console or an Arduino.
  case text
  /// NMEA lines, none with a right checksum and at least as many with a wrong one as without.
  case damaged
  /// NMEA lines, most of them without a checksum and none with a right one.
  case mostlyUnchecked
  /// NMEA lines, all of them without a checksum.
  case unchecked
  /// NMEA sentences without a checksum, which the settings accept, all of them refused because of
  /// their content.
  case refusedUnchecked
  /// NMEA sentences with right checksums, all of them refused because of their content.
  case refused
  /// NMEA sentences.
  case nmea

  package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// Classifies the data between two readings of a line's counters.
  package init(_ counters: NMEACounters, since start: NMEACounters = NMEACounters()) {
    let bytes = counters.bytes &- start.bytes
    if counters.sentences != start.sentences {
      self = .nmea
    } else if counters.refusedSentences != start.refusedSentences {
      self =
        counters.refusedUncheckedSentences != start.refusedUncheckedSentences
        ? .refusedUnchecked : .refused
    } else if bytes == 0 {
      self = .none
    } else if counters.controlBytes &- start.controlBytes > bytes / 50 {
      // About 10 % of random bytes are counted as control bytes; text in any script has none.
      self = .unreadable
    } else {
      let wrong = counters.wrongChecksums &- start.wrongChecksums
      let unchecked = counters.linesWithoutChecksum &- start.linesWithoutChecksum
      if unchecked > wrong {
        self = wrong > 0 ? .mostlyUnchecked : .unchecked
      } else {
        self = wrong > 0 || counters.cutLines != start.cutLines ? .damaged : .text
      }
    }
  }
}
