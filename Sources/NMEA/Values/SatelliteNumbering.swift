// SPDX-License-Identifier: Apache-2.0

/// The satellite identified by a number in GSA or GSV.
///
/// NMEA numbers GPS 1 to 32, SBAS 33 to 64 and GLONASS 65 to 96 in one sequence. Since NMEA 4.1,
/// each of the other systems has its own numbers, and the system id or the talker identifies the
/// system. Some receivers still send older numbers of their manufacturers:
///
/// | numbers | system | manufacturer |
/// |---|---|---|
/// | 101-136 | Galileo | Quectel |
/// | 120-158 | SBAS, by PRN | Garmin, u-blox |
/// | 173-182 | IMES | u-blox |
/// | 193-202 | QZSS | u-blox, MediaTek, Telit, Quectel |
/// | 201-263 | BeiDou | Quectel, SkyTraq, Unicore |
/// | 301-336 | Galileo | Jackson Labs, Trimble |
/// | 401-463 | BeiDou | Jackson Labs, u-blox |
/// | 901-918 | NavIC | Allystar |
public struct SatelliteNumbering: Equatable, Hashable, Sendable {
  /// The system, numbered as `gnssid` in gpsd_json(5): 0 GPS, 1 SBAS, 2 Galileo, 3 BeiDou,
  /// 4 IMES, 5 QZSS, 6 GLONASS, 7 NavIC.
  public let gnssID: UInt8

  /// The number within the system, as `svid` in gpsd_json(5).
  public let svID: UInt8

  /// Identifies a satellite by its number in a sentence; `nil` for a number that is not assigned.
  ///
  /// - Parameters:
  ///   - number: The number in the sentence.
  ///   - talker: The talker of the sentence.
  ///   - systemID: The system id of a GSA, or of a GSV with a signal id; `nil` before NMEA 4.1.
  public init?(number: UInt16, talker: Talker, systemID: UInt8? = nil) {
    guard number > 0 else { return nil }
    switch systemID ?? Self.systemID(of: talker) {
    case 2: self.init(6, number, after: number > 64 ? 64 : 0, upTo: 32)
    case 3: self.init(2, number, after: number > 300 ? 300 : number > 100 ? 100 : 0, upTo: 36)
    // With the talker `PQ`, Quectel sends BeiDou and QZSS in one list, with different numbers.
    case 4 where talker == .quectel && (193...202).contains(number):
      self.init(5, number, after: 192, upTo: 10)
    case 4:
      let offset: UInt16 = number > 400 ? 400 : number > 200 ? 200 : number > 100 ? 100 : 0
      self.init(3, number, after: offset, upTo: 63)
    case 5: self.init(5, number, after: number > 192 ? 192 : 0, upTo: 10)
    case 6: self.init(7, number, after: number > 900 ? 900 : 0, upTo: 18)
    default: self.init(shared: number)
    }
  }

  /// Returns the system id of a talker; `nil` if the talker does not imply one system.
  ///
  /// Returns `nil` for `GP`, too, because half of all receivers send the satellites of all systems
  /// as `GP`.
  public static func systemID(of talker: Talker) -> UInt8? {
    switch talker {
    case .glonass: 2
    case .galileo: 3
    case .beidou, .beidouEarly, .quectel: 4
    case .qzss, .qzssEarly: 5
    case .navic: 6
    default: nil
    }
  }

  /// Subtracts an offset below the number; `nil` if the result is above `last`.
  @inline(__always)
  private init?(_ gnssID: UInt8, _ number: UInt16, after offset: UInt16, upTo last: UInt16) {
    guard number &- offset <= last else { return nil }
    self.gnssID = gnssID
    svID = UInt8(truncatingIfNeeded: number &- offset)
  }

  /// Identifies a number in the sequence that all systems share.
  private init?(shared number: UInt16) {
    let place: (gnssID: UInt8, offset: UInt16)
    switch number {
    case 1...32: place = (0, 0)
    case 33...64: place = (1, 0)  // 33 is PRN 120
    case 65...96: place = (6, 64)
    case 120...158: place = (1, 0)
    case 173...182: place = (4, 172)
    case 193...200: place = (5, 192)
    // Some manufacturers use 201 and 202 for QZSS 9 and 10, but most use them for BeiDou 1 and 2.
    case 201...263: place = (3, 200)
    case 301...336: place = (2, 300)
    case 401...463: place = (3, 400)
    case 901...918: place = (7, 900)
    default: return nil
    }
    gnssID = place.gnssID
    svID =
      number <= 64 && number > 32
      ? UInt8(truncatingIfNeeded: number &+ 87) : UInt8(truncatingIfNeeded: number &- place.offset)
  }
}
