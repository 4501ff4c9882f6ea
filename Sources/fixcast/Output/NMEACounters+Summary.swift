// SPDX-License-Identifier: Apache-2.0

import Receivers

extension NMEACounters {
  /// The counters as one line of text.
  var summary: String {
    """
    \(bytes) bytes, \(sentences) sentences (\(unknownSentences) of unsupported types), \
    \(errors) invalid lines, \(flawedFields) invalid fields, \(strayBytes) stray bytes, \
    \(epochs) epochs, \(fixes) with a position, \(foreignDatumPositions) positions in another \
    datum dropped, \(droppedMeasurements) implausible sensor values
    """
  }

  /// Returns the likely reason why nothing was decoded, and the remedy.
  ///
  /// `file` is the path; `nil` for standard input.
  func explanation(of format: ForeignFileFormat?, file: String?) -> String {
    if bytes == 0 { return "it is empty; give a recorded log" }
    if let format { return format.text(file: file) }
    // About 10 % of random bytes are counted as control bytes; text in any script has none.
    if controlBytes > bytes / 50 {
      return "it looks like a binary protocol (UBX, SiRF, RTCM): gpsd's gpsdecode reads those"
    }
    if errors > 0 { return "\(errors) invalid lines; see --verbose, --allow-missing-checksum" }
    return "it is text without NMEA, whose lines begin with $; give a recorded log"
  }
}
