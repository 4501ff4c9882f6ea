// SPDX-License-Identifier: Apache-2.0

/// The system and number of a satellite, as `gnssid` and `svid` of u-blox and gpsd.
public struct SatelliteID: Equatable, Hashable, Sendable {
  /// Satellite systems, numbered as `gnssid` in gpsd_json(5).
  public enum System: UInt8, Hashable, Sendable, CaseIterable {
    /// GPS, United States.
    case gps = 0
    /// Augmentation: WAAS, EGNOS, MSAS, GAGAN, SDCM.
    case sbas = 1
    /// Galileo, European Union.
    case galileo = 2
    /// BeiDou, China.
    case beidou = 3
    /// IMES, the Japanese indoor system.
    case imes = 4
    /// QZSS, Japan.
    case qzss = 5
    /// GLONASS, Russia.
    case glonass = 6
    /// NavIC (IRNSS), India.
    case navic = 7
  }

  /// The system.
  public let system: System
  /// The number within the system, as `svid` in gpsd_json(5): SBAS 120 to 158, the rest from 1.
  public let number: UInt8

  /// Makes an id.
  public init(system: System, number: UInt8) {
    self.system = system
    self.number = number
  }
}
