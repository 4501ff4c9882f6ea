// SPDX-License-Identifier: Apache-2.0

import Doctor
import Receivers

extension NMEACounters {
  /// The counters as one line of text.
  var summary: String {
    """
    \(lines.text); \(flawedFields) invalid fields, \(strayBytes) stray bytes, \(epochs) epochs, \
    \(fixes) with a position, \(foreignDatumPositions) positions in another datum dropped, \
    \(droppedMeasurements) implausible sensor values
    """
  }

  /// Whether a recording gave neither an epoch nor, as from instruments, other values.
  var hasDecodedNothing: Bool {
    epochs == 0 && (sentences == unknownSentences || firstRefused != nil)
  }

  /// Returns the likely reason why nothing was decoded, and the remedy.
  ///
  /// `file` is the path; `nil` for standard input. `isListed` is whether the lines were listed.
  func explanation(
    of format: ForeignFileFormat?, file: String?, isListed: Bool = false
  ) -> String {
    if bytes == 0 { return "it is empty; give a recorded log" }
    if readableSentences == 0, let format { return format.text(file: file) }
    let name = file.map { RuleFindings.quoted($0) } ?? "FILE"
    let refused =
      isListed ? lines.text : "\(lines.text); list the refused lines: fixcast decode -v \(name)"
    switch LineInput(self) {
    case .none, .unreadable:
      return "it looks like a binary protocol (UBX, SiRF, RTCM): gpsd's gpsdecode reads those"
    case .text: return "it is text without NMEA, whose lines begin with $; give a recorded log"
    // Lines that are cut off are only counted.
    case .damaged where isListed || wrongChecksums == 0: return lines.text
    case .damaged: return "\(lines.text); list the lines: fixcast decode -v \(name)"
    case .mostlyUnchecked, .unchecked:
      return "\(lines.text); accept them: fixcast decode --allow-missing-checksum \(name)"
    case .refusedUnchecked, .refused: return refused
    case .nmea where firstRefused != nil: return refused
    case .nmea where fixes > 0 || epochs > 0: return "\(lines.text); no epoch has a position"
    case .nmea: return "\(lines.text); a position needs GGA, RMC, GLL or GNS"
    }
  }
}
