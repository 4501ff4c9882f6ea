// SPDX-License-Identifier: Apache-2.0

/// The state of the antenna according to the receiver.
public enum AntennaState: Equatable, Sendable {
  /// The receiver does not know the state, or has not measured it yet.
  case unknown
  /// The antenna draws a normal current.
  case good
  /// No antenna draws current: none is connected, the cable is broken, or the antenna is passive.
  case open
  /// The antenna or its cable has a short circuit.
  case shorted
  /// The receiver uses its internal antenna.
  case `internal`
  /// The receiver uses an external antenna.
  case external
}
