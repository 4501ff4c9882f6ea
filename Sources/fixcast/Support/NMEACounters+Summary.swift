// SPDX-License-Identifier: Apache-2.0

import Receivers

extension NMEACounters {
  /// What was read, for people.
  var summary: String {
    """
    \(bytes) bytes, \(sentences) sentences (\(unknownSentences) of kinds not read here), \
    \(errors) lines refused, \(flawedFields) fields unreadable, \(strayBytes) stray bytes, \
    \(epochs) epochs, \(fixes) with a position, \(foreignDatumPositions) positions on another \
    datum left out
    """
  }

  /// Why there may be nothing, and what to do.
  var explanation: String {
    if bytes == 0 { return "it is empty" }
    if strayBytes > bytes / 2 { return Self.binaryAdvice }
    if errors > 0 { return "\(errors) lines were refused; see --verbose, --allow-missing-checksum" }
    return Self.binaryAdvice
  }

  private static let binaryAdvice =
    "it looks like a binary protocol (UBX, SiRF, RTCM): gpsd's gpsdecode reads those"
}
