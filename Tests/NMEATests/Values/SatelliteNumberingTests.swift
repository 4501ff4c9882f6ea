// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

/// The assignment of numbers to satellites, for each talker and system id.
@Suite("Satellite numbering")
struct SatelliteNumberingTests {
  /// A system, and its number in `gpsd_json(5)`.
  enum System: UInt8, Sendable {
    case gps, sbas, galileo, beidou, imes, qzss, glonass, navic
  }

  /// A range of numbers that identifies consecutive satellites of a system, beginning with `first`.
  struct Claim: Sendable {
    var numbers: ClosedRange<UInt16>
    var system: System
    var first: UInt8
    init(_ numbers: ClosedRange<UInt16>, _ system: System, _ first: UInt8) {
      self.numbers = numbers
      self.system = system
      self.first = first
    }
  }

  /// Talkers and system ids with their assigned and unassigned numbers.
  struct Row: Sendable, CustomTestStringConvertible {
    var talkers: [Talker]
    var systemIDs: [UInt8?]
    var claims: [Claim]
    var nothing: [ClosedRange<UInt16>]

    var testDescription: String {
      "\(talkers.map(\.description)), system \(systemIDs.map { $0.map(String.init) ?? "none" })"
    }
  }

  /// Zero and the numbers that no manufacturer uses.
  private static let never: [ClosedRange<UInt16>] = [0...0, 464...900, 919...1100, .max...(.max)]

  /// The sequence that all systems share, and the additional ranges of manufacturers.
  private static let shared: [Claim] = [
    Claim(1...32, .gps, 1), Claim(33...64, .sbas, 120), Claim(65...96, .glonass, 1),
    Claim(120...158, .sbas, 120), Claim(173...182, .imes, 1), Claim(193...200, .qzss, 1),
    Claim(203...263, .beidou, 3), Claim(301...336, .galileo, 1), Claim(401...463, .beidou, 1),
    Claim(901...918, .navic, 1),
  ]
  private static let glonass: [Claim] = [Claim(1...32, .glonass, 1), Claim(65...96, .glonass, 1)]
  private static let galileo: [Claim] = [
    Claim(1...36, .galileo, 1), Claim(101...136, .galileo, 1), Claim(301...336, .galileo, 1),
  ]
  private static let beidou: [Claim] = [
    Claim(1...63, .beidou, 1), Claim(201...263, .beidou, 1), Claim(401...463, .beidou, 1),
  ]
  private static let quectel: [Claim] = [
    Claim(1...63, .beidou, 1), Claim(203...263, .beidou, 3), Claim(401...463, .beidou, 1),
    Claim(193...202, .qzss, 1),
  ]
  private static let qzss: [Claim] = [Claim(1...10, .qzss, 1), Claim(193...202, .qzss, 1)]
  private static let navic: [Claim] = [Claim(1...18, .navic, 1), Claim(901...918, .navic, 1)]

  static let table: [Row] = [
    Row(
      talkers: [.gps, .combined, .instrumentation, Talker(0x5A, 0x5A)], systemIDs: [nil],
      claims: shared,
      nothing: [97...100, 159...172, 183...192, 264...300, 337...400] + never),
    Row(
      talkers: [.gps, .combined], systemIDs: [1],
      claims: [Claim(1...32, .gps, 1), Claim(33...64, .sbas, 120)],
      nothing: [97...100, 264...300, 337...400] + never),
    Row(
      talkers: [.glonass], systemIDs: [nil, 2], claims: glonass,
      nothing: [33...64, 97...300] + never),
    Row(
      talkers: [.combined, .gps], systemIDs: [2], claims: glonass,
      nothing: [33...64, 97...300] + never),
    Row(
      talkers: [.galileo], systemIDs: [nil, 3], claims: galileo,
      nothing: [37...100, 137...300, 337...400] + never),
    Row(
      talkers: [.combined, .gps], systemIDs: [3], claims: galileo,
      nothing: [37...100, 137...300, 337...400] + never),
    Row(
      talkers: [.beidou, .beidouEarly], systemIDs: [nil, 4], claims: beidou,
      nothing: [64...100, 193...200, 264...400] + never),
    Row(
      talkers: [.combined, .gps], systemIDs: [4], claims: beidou,
      nothing: [64...100, 193...200, 264...400] + never),
    Row(
      talkers: [.quectel], systemIDs: [nil, 4], claims: quectel,
      nothing: [64...100, 264...400] + never),
    Row(
      talkers: [.qzss, .qzssEarly], systemIDs: [nil, 5], claims: qzss,
      nothing: [11...192, 203...400] + never),
    Row(
      talkers: [.combined, .gps, .quectel], systemIDs: [5], claims: qzss,
      nothing: [11...192, 203...400] + never),
    Row(
      talkers: [.navic], systemIDs: [nil, 6], claims: navic, nothing: [19...400] + never),
    Row(
      talkers: [.combined, .gps], systemIDs: [6], claims: navic, nothing: [19...400] + never),
  ]

  @Test("each assigned number identifies its satellite", arguments: table)
  func means(row: Row) {
    for talker in row.talkers {
      for systemID in row.systemIDs {
        for claim in row.claims {
          for number in claim.numbers {
            let found = SatelliteNumbering(number: number, talker: talker, systemID: systemID)
            let svID = claim.first + UInt8(number - claim.numbers.lowerBound)
            guard found?.gnssID == claim.system.rawValue, found?.svID == svID else {
              let place = "\(talker) \(systemID.map(String.init) ?? "none"): \(number)"
              Issue.record(
                "\(place) is not \(claim.system) \(svID) but \(String(describing: found))")
              break
            }
          }
        }
      }
    }
  }

  @Test("unassigned numbers identify no satellite", arguments: table)
  func meansNothing(row: Row) {
    for talker in row.talkers {
      for systemID in row.systemIDs {
        for range in row.nothing {
          for number in range {
            guard
              let found = SatelliteNumbering(number: number, talker: talker, systemID: systemID)
            else { continue }
            let place = "\(talker) \(systemID.map(String.init) ?? "none"): \(number)"
            Issue.record("\(place) of \(range) is \(found)")
            break
          }
        }
      }
    }
  }

  @Test("no number identifies a satellite outside the range of its system")
  func staysInRange() {
    let ranges: [ClosedRange<UInt8>] = [
      1...32, 120...158, 1...36, 1...63, 1...10, 1...10, 1...32, 1...18,
    ]
    let talkers: [Talker] = [
      .gps, .combined, .glonass, .galileo, .beidou, .beidouEarly, .qzss, .qzssEarly, .navic,
      .quectel, .instrumentation,
    ]
    var systemIDs: [UInt8?] = [nil]
    for systemID in UInt8(0)...15 { systemIDs.append(systemID) }
    for talker in talkers {
      for systemID in systemIDs {
        var outside: [UInt16] = []
        for number in UInt16.min...1100 {
          guard
            let found = SatelliteNumbering(number: number, talker: talker, systemID: systemID)
          else { continue }
          let isKnown = Int(found.gnssID) < ranges.count
          if !isKnown || !ranges[Int(found.gnssID)].contains(found.svID) { outside.append(number) }
        }
        guard let first = outside.first else { continue }
        let place = "\(talker) \(systemID.map(String.init) ?? "none")"
        Issue.record("\(place): \(first) and \(outside.count - 1) others")
      }
    }
  }

  @Test("the system id takes precedence over the talker, and both over the number")
  func ranks() {
    let plain = SatelliteNumbering(number: 5, talker: .gps)
    #expect(plain?.gnssID == System.gps.rawValue)
    let byTalker = SatelliteNumbering(number: 5, talker: .galileo)
    #expect(byTalker?.gnssID == System.galileo.rawValue)
    let byID = SatelliteNumbering(number: 5, talker: .galileo, systemID: 4)
    #expect(byID?.gnssID == System.beidou.rawValue)
  }
}
