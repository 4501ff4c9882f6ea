// SPDX-License-Identifier: Apache-2.0

/// The hint for a position at exactly 0° N, 0° E, in the open sea off Africa.
///
/// NMEA 0183 allows such a position, so it is delivered. In most cases a receiver, a gateway or a
/// program without a position sends it.
package enum ZeroPosition {
  /// The fact.
  package static let fact =
    "the position is exactly 0° N, 0° E, which devices without a position send"

  /// The next step.
  package static let advice =
    "unless the board is there, do not use it: place the antenna under open sky; if another device "
    + "or a program forwards the sentences, read the receiver itself"

  /// The fact and the next step in one line.
  package static let text = "\(fact); \(advice)"
}

extension Coordinate {
  /// Whether latitude and longitude are exactly 0.
  package var isZero: Bool { latitudeDegrees == 0 && longitudeDegrees == 0 }
}
