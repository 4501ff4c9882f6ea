// SPDX-License-Identifier: Apache-2.0

import NMEA

/// The line by which a simulated receiver says what it is.
enum SimulatedText {
  /// What the text begins with.
  static let mark: StaticString = "FIXCAST SIMULATED"

  static func marks(_ txt: TXT) -> Bool { txt.text.starts(with: mark) }
}
