// SPDX-License-Identifier: Apache-2.0

/// One satellite as a receiver reports it.
public struct Satellite: Equatable, Hashable, Sendable {
  // A sky holds up to 512 satellites, which are searched and copied each epoch. In this order one
  // takes 32 bytes.

  /// Which satellite.
  public var id: SatelliteID
  /// Which signal of it, numbered as in NMEA 4.11 table 20 for its system; `nil` where not said.
  public var signal: UInt8?
  /// The number as the receiver sent it, before mapping.
  public var rawNumber: UInt16
  /// Whether the solution used it.
  public var isUsed: Bool
  /// Height above the horizon in degrees, -90 to 90.
  @Known public var elevationDegrees: Double?
  /// Bearing in degrees from true north, 0 to 359.
  @Known public var azimuthDegrees: Double?
  /// Carrier to noise density in dB-Hz, 0 to 99; `nil` while not tracked.
  @Known public var signalToNoiseDBHz: Double?

  /// Makes a satellite of which only the number is known.
  ///
  /// - Parameters:
  ///   - id: Which satellite.
  ///   - rawNumber: The number as the receiver sent it.
  public init(id: SatelliteID, rawNumber: UInt16) {
    self.id = id
    self.rawNumber = rawNumber
    isUsed = false
  }
}
