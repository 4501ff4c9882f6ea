// SPDX-License-Identifier: Apache-2.0

import Receivers

extension NMEACounters {
  /// What was read, for people.
  var summary: String {
    """
    \(bytes) bytes, \(sentences) sentences (\(unknownSentences) of kinds not read here), \
    \(errors) lines refused, \(flawedFields) fields unreadable, \(strayBytes) stray bytes, \
    \(epochs) epochs, \(fixes) with a position, \(foreignDatumPositions) positions on another \
    datum left out, \(refusedMeasurements) sensor values refused
    """
  }

  /// Why there may be nothing, and what to do.
  var explanation: String {
    if bytes == 0 { return "it is empty" }
    // Of bytes at random one in ten is such a one, and of text in any script none.
    if controlBytes > bytes / 50 {
      return "it looks like a binary protocol (UBX, SiRF, RTCM): gpsd's gpsdecode reads those"
    }
    if errors > 0 { return "\(errors) lines were refused; see --verbose, --allow-missing-checksum" }
    return "it is text without NMEA"
  }
}
