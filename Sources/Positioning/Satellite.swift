// SPDX-License-Identifier: Apache-2.0

/// A satellite in view, or one signal of a satellite.
public struct Satellite: Equatable, Hashable, Sendable {
  // A sky has up to 512 satellites, which are searched and copied in each epoch. With the
  // properties in this order, a satellite needs 32 bytes.

  /// The satellite's system and number.
  public var id: SatelliteID
  /// The signal, numbered as in NMEA 4.11 table 20 for its system; `nil` if not stated.
  public var signal: UInt8?
  /// The number sent by the receiver, before mapping.
  public var rawNumber: UInt16
  /// Whether the solution uses the satellite.
  public var isUsed: Bool
  /// Height above the horizon in degrees, -90 to 90.
  @Known public var elevationDegrees: Double?
  /// Bearing in degrees from true north, 0 to 359.
  @Known public var azimuthDegrees: Double?
  /// Carrier to noise density in dB-Hz, 0 to 99; `nil` while not tracked.
  @Known public var signalToNoiseDBHz: Double?

  /// Makes an unused satellite of unknown signal and direction.
  public init(id: SatelliteID, rawNumber: UInt16) {
    self.id = id
    self.rawNumber = rawNumber
    isUsed = false
  }
}
