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
  struct Assignment: Sendable {
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
    var assignments: [Assignment]
    var unassigned: [ClosedRange<UInt16>]

    var testDescription: String {
      "\(talkers.map(\.description)), system \(systemIDs.map { $0.map(String.init) ?? "none" })"
    }
  }

  /// Zero, and the numbers that no manufacturer uses.
  private static let alwaysUnassigned: [ClosedRange<UInt16>] = [
    0...0, 464...900, 919...1100, .max...(.max),
  ]

  /// The number sequence that all systems share, and the additional ranges of manufacturers.
  private static let shared: [Assignment] = [
    Assignment(1...32, .gps, 1), Assignment(33...64, .sbas, 120), Assignment(65...96, .glonass, 1),
    Assignment(120...158, .sbas, 120), Assignment(173...182, .imes, 1),
    Assignment(193...200, .qzss, 1),
    Assignment(203...263, .beidou, 3), Assignment(301...336, .galileo, 1),
    Assignment(401...463, .beidou, 1),
    Assignment(901...918, .navic, 1),
  ]
  private static let glonass: [Assignment] = [
    Assignment(1...32, .glonass, 1), Assignment(65...96, .glonass, 1),
  ]
  private static let galileo: [Assignment] = [
    Assignment(1...36, .galileo, 1), Assignment(101...136, .galileo, 1),
    Assignment(301...336, .galileo, 1),
  ]
  private static let beidou: [Assignment] = [
    Assignment(1...63, .beidou, 1), Assignment(201...263, .beidou, 1),
    Assignment(401...463, .beidou, 1),
  ]
  private static let quectel: [Assignment] = [
    Assignment(1...63, .beidou, 1), Assignment(203...263, .beidou, 3),
    Assignment(401...463, .beidou, 1),
    Assignment(193...202, .qzss, 1),
  ]
  private static let qzss: [Assignment] = [
    Assignment(1...10, .qzss, 1), Assignment(193...202, .qzss, 1),
  ]
  private static let navic: [Assignment] = [
    Assignment(1...18, .navic, 1), Assignment(901...918, .navic, 1),
  ]

  static let table: [Row] = [
    Row(
      talkers: [.gps, .combined, .instrumentation, Talker(0x5A, 0x5A)], systemIDs: [nil],
      assignments: shared,
      unassigned: [97...100, 159...172, 183...192, 264...300, 337...400] + alwaysUnassigned),
    Row(
      talkers: [.gps, .combined], systemIDs: [1],
      assignments: [Assignment(1...32, .gps, 1), Assignment(33...64, .sbas, 120)],
      unassigned: [97...100, 264...300, 337...400] + alwaysUnassigned),
    Row(
      talkers: [.glonass], systemIDs: [nil, 2], assignments: glonass,
      unassigned: [33...64, 97...300] + alwaysUnassigned),
    Row(
      talkers: [.combined, .gps], systemIDs: [2], assignments: glonass,
      unassigned: [33...64, 97...300] + alwaysUnassigned),
    Row(
      talkers: [.galileo], systemIDs: [nil, 3], assignments: galileo,
      unassigned: [37...100, 137...300, 337...400] + alwaysUnassigned),
    Row(
      talkers: [.combined, .gps], systemIDs: [3], assignments: galileo,
      unassigned: [37...100, 137...300, 337...400] + alwaysUnassigned),
    Row(
      talkers: [.beidou, .beidouEarly], systemIDs: [nil, 4], assignments: beidou,
      unassigned: [64...100, 193...200, 264...400] + alwaysUnassigned),
    Row(
      talkers: [.combined, .gps], systemIDs: [4], assignments: beidou,
      unassigned: [64...100, 193...200, 264...400] + alwaysUnassigned),
    Row(
      talkers: [.quectel], systemIDs: [nil, 4], assignments: quectel,
      unassigned: [64...100, 264...400] + alwaysUnassigned),
    Row(
      talkers: [.qzss, .qzssEarly], systemIDs: [nil, 5], assignments: qzss,
      unassigned: [11...192, 203...400] + alwaysUnassigned),
    Row(
      talkers: [.combined, .gps, .quectel], systemIDs: [5], assignments: qzss,
      unassigned: [11...192, 203...400] + alwaysUnassigned),
    Row(
      talkers: [.navic], systemIDs: [nil, 6], assignments: navic,
      unassigned: [19...400] + alwaysUnassigned),
    Row(
      talkers: [.combined, .gps], systemIDs: [6], assignments: navic,
      unassigned: [19...400] + alwaysUnassigned),
  ]

  @Test(arguments: table)
  func `each assigned satellite number identifies the right satellite`(row: Row) {
    for talker in row.talkers {
      for systemID in row.systemIDs {
        for assignment in row.assignments {
          for number in assignment.numbers {
            let found = SatelliteNumbering(number: number, talker: talker, systemID: systemID)
            let svID = assignment.first + UInt8(number - assignment.numbers.lowerBound)
            guard found?.gnssID == assignment.system.rawValue, found?.svID == svID else {
              let place = "\(talker) \(systemID.map(String.init) ?? "none"): \(number)"
              Issue.record(
                "\(place) is not \(assignment.system) \(svID) but \(String(describing: found))")
              break
            }
          }
        }
      }
    }
  }

  @Test(arguments: table)
  func `unassigned satellite numbers identify no satellite`(row: Row) {
    for talker in row.talkers {
      for systemID in row.systemIDs {
        for range in row.unassigned {
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

  @Test func `no satellite number identifies a satellite outside the range of its system`() {
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

  @Test func `a system id takes precedence over a talker, and a talker over the satellite number`() {
    let plain = SatelliteNumbering(number: 5, talker: .gps)
    #expect(plain?.gnssID == System.gps.rawValue)
    let byTalker = SatelliteNumbering(number: 5, talker: .galileo)
    #expect(byTalker?.gnssID == System.galileo.rawValue)
    let byID = SatelliteNumbering(number: 5, talker: .galileo, systemID: 4)
    #expect(byID?.gnssID == System.beidou.rawValue)
  }
}
