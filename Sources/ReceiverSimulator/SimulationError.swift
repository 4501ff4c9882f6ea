// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// An invalid parameter of a simulated receiver.
package enum SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The rate is not 1 to 25 Hz.
  case rate(Int)
  /// The speed is not 0 to 515 m/s; above that, commercial receivers output no position.
  case speed(Double)
  /// None of the sentences contains a position.
  case noPosition
  /// The start is before 1980 (no GPS time) or after 9998 (no four-digit year).
  case start(Int64)

  /// The error and the valid range as one line.
  package var description: String {
    switch self {
    case .rate(let hz): "invalid rate of \(hz) Hz; use 1 to 25"
    case .speed(let speed): "invalid speed of \(speed) m/s; use 0 to 515"
    case .noPosition: "no sentence with a position; add GGA, RMC, GNS or GLL"
    case .start(let seconds):
      "invalid start at Unix time \(seconds); use years 1980 to 9998"
    }
  }
}
