// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import Testing

/// The sentences of ``NMEAEpoch``, read by gpsbabel and by gpsd's parser.
@Suite(.timeLimit(.minutes(5))) struct NMEAProgramsTests {
  private static let gpsbabel = "/usr/bin/gpsbabel"
  private static let gpsdecode = "/usr/bin/gpsdecode"
  /// 2026-11-23T12:00:00Z.
  private static let start: Int64 = 1_795_435_200

  /// Returns the fix of a second: it moves to the south-west across the equator.
  private static func fix(_ second: Int, isReduced: Bool = false) -> Fix {
    var fix = Fix(mode: isReduced ? .twoDimensional : .threeDimensional)
    fix.time = UTCTime(secondsSince1970: start + Int64(second))
    fix.coordinate = .at(0.000_05 - Double(second) * 0.000_01, -6.5 - Double(second) * 0.000_02)
    guard !isReduced else { return fix }
    fix.altitudeMetersAboveSeaLevel = 61.25 + Double(second)
    fix.geoidSeparationMeters = 55.2
    fix.speedMetersPerSecond = 2.5
    fix.courseDegreesTrue = 243.4
    fix.satellitesUsed = 9
    return fix
  }

  /// Runs a shell command in a folder with the sentences of ten fixes in `log.nmea`.
  private static func lines(_ command: String, isReduced: Bool = false) async throws -> [String] {
    let folder = try ScratchFolder()
    let fixes = (0..<10).map { fix($0, isReduced: isReduced) }
    try folder.write("log.nmea", bytes: fixes.flatMap { NMEAEpoch.sentences(of: $0, sky: nil) })
    let result = try await ChildProcess.run(
      path: "/bin/sh", arguments: ["-c", "cd '\(folder.path)'; \(command)"])
    #expect(result.code == 0)
    return result.lines
  }

  @Test(.enabled(if: access(Self.gpsbabel, X_OK) == 0, "needs gpsbabel: make test-deps"))
  func `gpsbabel reads the time, position, altitude, speed and course of each epoch`() async throws {
    let lines = try await Self.lines("\(Self.gpsbabel) -t -i nmea -f log.nmea -o unicsv -F -")
    let names = lines.first.map { $0.split(separator: ",") } ?? []
    #expect(lines.count == 11, "\(lines)")
    for (second, line) in lines.dropFirst().enumerated() {
      let values = line.split(separator: ",", omittingEmptySubsequences: false)
      let row = Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
      let fix = Self.fix(second)
      func isNear(_ name: Substring, _ expected: Double?, _ tolerance: Double) -> Bool {
        guard let expected, let value = row[name].flatMap({ Double($0) }) else { return false }
        return abs(value - expected) <= tolerance
      }
      #expect(isNear("Latitude", fix.coordinate?.latitudeDegrees, 1e-6), "\(line)")
      #expect(isNear("Longitude", fix.coordinate?.longitudeDegrees, 1e-6), "\(line)")
      #expect(isNear("Altitude", fix.altitudeMetersAboveSeaLevel, 0.1), "\(line)")
      #expect(isNear("Speed", fix.speedMetersPerSecond, 0.01), "\(line)")
      #expect(isNear("Course", fix.courseDegreesTrue, 0.1), "\(line)")
      #expect(line.contains("2026/11/23,12:00:0\(second)"), "\(line)")
    }
  }

  @Test(
    .enabled(if: access(Self.gpsdecode, X_OK) == 0, "needs gpsd-clients: make test-deps"),
    arguments: [false, true])
  func `gpsd's parser reads full and reduced fixes`(isReduced: Bool) async throws {
    let lines = try await Self.lines("\(Self.gpsdecode) -j < log.nmea", isReduced: isReduced)
    let reports = lines.filter { $0.contains(#""class":"TPV""#) && $0.contains(#""lat":"#) }
    // gpsd omits the first epoch: its time has no date before the RMC.
    #expect(reports.count >= 8, "\(lines)")
    for report in reports {
      let digits = report.firstMatch(of: #/T12:00:0(?<second>\d)\.000Z/#)?.second ?? ""
      let fix = Self.fix(try #require(Int(digits)), isReduced: isReduced)
      let latitude = report.firstMatch(of: #/"lat":(?<value>[-0-9.]+)/#)
        .flatMap { Double($0.value) }
      let longitude = report.firstMatch(of: #/"lon":(?<value>[-0-9.]+)/#)
        .flatMap { Double($0.value) }
      #expect(abs((latitude ?? 99) - (fix.coordinate?.latitudeDegrees ?? 0)) < 1e-6, "\(report)")
      #expect(abs((longitude ?? 999) - (fix.coordinate?.longitudeDegrees ?? 0)) < 1e-6, "\(report)")
      #expect(report.contains(isReduced ? #""mode":2"# : #""mode":3"#))
      #expect(isReduced || report.contains(#""speed":2.500"#), "\(report)")
    }
  }
}
