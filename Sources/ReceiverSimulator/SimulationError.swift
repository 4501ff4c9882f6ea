// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Why a receiver cannot be simulated as asked.
package enum SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The rate is not 1 to 25 Hz.
  case rate(Int)
  /// The speed is not 0 to 515 m/s, beyond which no receiver on sale gives a position.
  case speed(Double)
  /// There would be no sentence that carries a position.
  case noPosition
  /// The start is before 1980 or after 9998, when dates have no four digits or no satellites.
  case start(Int64)

  /// The error in one line: what, and what would do.
  package var description: String {
    switch self {
    case .rate(let hz): "cannot send at \(hz) Hz; a rate of 1 to 25 is possible"
    case .speed(let speed): "cannot drive at \(speed) m/s; a speed of 0 to 515 is possible"
    case .noPosition: "no sentence with a position chosen; add GGA, RMC, GNS or GLL"
    case .start(let seconds):
      "cannot start at Unix time \(seconds); years 1980 to 9998 are possible"
    }
  }
}
