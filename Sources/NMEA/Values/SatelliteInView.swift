// SPDX-License-Identifier: Apache-2.0

/// A satellite of a GSV sentence, stored in six bytes.
public struct SatelliteInView: Equatable, Sendable {
  /// The satellite number in the receiver's numbering, 1 to 65,535.
  public let number: UInt16

  private let azimuth: UInt16
  private let elevation: UInt8
  private let signal: UInt8

  /// Makes a satellite; an elevation, azimuth or signal out of range becomes `nil`.
  ///
  /// - Parameters:
  ///   - number: The satellite number in the receiver's numbering.
  ///   - elevationDegrees: Height above the horizon, 0 to 90.
  ///   - azimuthDegrees: Bearing from true north, 0 to 360.
  ///   - signalToNoiseDBHz: Carrier to noise density, 0 to 99.
  public init(
    number: UInt16, elevationDegrees: UInt32? = nil, azimuthDegrees: UInt32? = nil,
    signalToNoiseDBHz: UInt32? = nil
  ) {
    self.number = number
    elevation = UInt8(truncatingIfNeeded: min(elevationDegrees ?? 255, 255))
    azimuth = UInt16(truncatingIfNeeded: min(azimuthDegrees ?? 65_535, 65_535))
    signal = UInt8(truncatingIfNeeded: min(signalToNoiseDBHz ?? 255, 255))
  }

  /// Makes a satellite; the caller must ensure that all values are in range.
  @inline(__always)
  init(number: UInt32, inRange elevation: UInt32?, _ azimuth: UInt32?, _ signal: UInt32?) {
    self.number = UInt16(truncatingIfNeeded: number)
    self.elevation = UInt8(truncatingIfNeeded: elevation ?? 255)
    self.azimuth = UInt16(truncatingIfNeeded: azimuth ?? 65_535)
    self.signal = UInt8(truncatingIfNeeded: signal ?? 255)
  }

  /// Height above the horizon in degrees, 0 to 90.
  public var elevationDegrees: UInt8? { elevation <= 90 ? elevation : nil }

  /// Bearing in degrees from true north, 0 to 359; 360 becomes 0.
  public var azimuthDegrees: UInt16? {
    azimuth < 360 ? azimuth : azimuth == 360 ? 0 : nil
  }

  /// Carrier to noise density in dB-Hz, 0 to 99.
  ///
  /// Some receivers send 0 for "not tracked".
  public var signalToNoiseDBHz: UInt8? { signal <= 99 ? signal : nil }
}
