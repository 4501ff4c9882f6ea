// SPDX-License-Identifier: Apache-2.0

import NMEA

/// The TXT sentence with which a simulated receiver identifies itself.
enum SimulatedText {
  /// The beginning of the text.
  static let mark: StaticString = "FIXCAST SIMULATED"

  static func matches(_ txt: TXT) -> Bool { txt.text.starts(with: mark) }
}
