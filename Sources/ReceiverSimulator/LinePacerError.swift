// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Why bytes cannot be sent over a line.
package enum LinePacerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The speed is not 300 to 4,000,000 baud.
  case speed(baud: Int)
  /// More bytes a second are to be sent than the line carries.
  case tooSlow(baud: Int, neededBytesPerSecond: Int, availableBytesPerSecond: Int)

  /// The error in one line: what, and what would do.
  package var description: String {
    switch self {
    case .speed(let baud):
      "no serial line runs at \(baud) baud; 300 to 4000000 are possible"
    case .tooSlow(let baud, let needed, let available):
      "the sentences need \(needed) bytes/s, and \(baud) baud carry \(available); "
        + "choose a lower rate, fewer sentences or a faster line"
    }
  }
}
