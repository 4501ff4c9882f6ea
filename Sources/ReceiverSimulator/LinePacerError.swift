// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// An error in the speed of a serial line.
package enum LinePacerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The speed is not 300 to 4,000,000 baud.
  case speed(baud: Int)
  /// The stream has more bytes per second than the line can carry.
  case tooSlow(baud: Int, neededBytesPerSecond: Int, availableBytesPerSecond: Int)

  /// The error and its remedy as one line.
  package var description: String {
    switch self {
    case .speed(let baud):
      "\(baud) baud is not a valid speed; use 300 to 4000000"
    case .tooSlow(let baud, let needed, let available):
      "the sentences need \(needed) bytes/s, and \(baud) baud carry \(available); "
        + "choose a lower rate, fewer sentences or a faster line"
    }
  }
}
