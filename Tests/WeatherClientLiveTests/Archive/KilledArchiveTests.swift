// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Programs that write reports as fast as they can, each killed in the midst of it.
@Suite("Weather archive of a program that is killed", .timeLimit(.minutes(10)))
struct KilledArchiveTests {
  private static let kills = 200
  /// How many programs may be killed between two writes until so many were killed in one.
  private static let maxRounds = 800

  @Test("killed in the midst of a write 200 times, nothing that was committed is lost")
  func killed() async throws {
    let folder = try ScratchFolder()
    // A process of its own that does nothing else can be copied, again and again: a copy is there
    // in a hundredth of the time that a program of a test's own takes to begin.
    await #expect(processExitsWith: .success) {
      [path = folder.path + "/weather.sqlite" as String] in
      Self.kill(writersOf: path)
    }
  }

  /// Kills programs that write, from their first write on, or from their start on, before the file
  /// is open.
  private static func kill(writersOf path: String) {
    var random = SeededGenerator(seed: 20_261_121)
    var next = 1
    var (kills, rounds) = (0, 0)
    while kills < Self.kills, rounds < Self.maxRounds {
      rounds += 1
      let (first, microseconds) = (next, UInt32.random(in: 0...20_000, using: &random))
      let atStart = rounds % 10 == 0
      let (told, signal) = SelfKill.copy {
        ArchiveWriter.run(
          path: path, from: first, killedAfterMicroseconds: microseconds, atStart: atStart)
      }
      #expect(signal == SIGKILL, "round \(rounds)")
      // Each number is told twice: with a minus when its write begins, and when it is over.
      let begun = told.last { $0 < 0 }.map { -$0 }
      let committed = told.last { $0 > 0 }
      if let begun, begun > committed ?? 0 { kills += 1 }
      let archive = WeatherArchive(path: path)
      #expect(archive.takeNotices() == [], "round \(rounds)")
      let newest = ArchiveWriter.newest(in: archive)
      #expect(newest >= (committed ?? next - 1), "round \(rounds)")
      // What was under way when it was killed may be there, and nothing after it.
      #expect(newest <= max(begun ?? 0, next - 1), "round \(rounds)")
      for number in next..<max(next, newest + 1) {
        #expect(ArchiveWriter.isThere(number, in: archive), "\(number) in round \(rounds)")
      }
      next = newest + 1
    }
    #expect(kills == Self.kills, "of \(rounds) rounds")
    // All together once more: what a later round did is not at the cost of an earlier.
    let archive = WeatherArchive(path: path)
    for number in max(1, next - WeatherArchive.reportLimit)..<next {
      #expect(ArchiveWriter.isThere(number, in: archive), "\(number) at the end")
    }
    // The ledger is of the same transaction as the report.
    #expect(archive.ledgers() == ["metno": ProviderUsage(at: ArchiveWriter.time(next - 1))])
  }
}

/// Writes reports one after another, telling of each when it begins and when it is committed.
enum ArchiveWriter {
  static func coordinate(_ number: Int) -> Coordinate {
    .at(Double(number % 900) * 0.1 - 45, Double(number / 900 % 900) * 0.1 - 45)
  }

  static func time(_ number: Int) -> BootTimestamp {
    BootTimestamp(utcSeconds: Int64(number), bootSeconds: Int64(number), boot: "b")
  }

  /// The number of the newest report; 0 where there is none.
  static func newest(in archive: WeatherArchive) -> Int {
    archive.newestReports(limit: 1).first.flatMap {
      Int(String(decoding: $0.body, as: UTF8.self).prefix { $0 != " " })
    } ?? 0
  }

  static func isThere(_ number: Int, in archive: WeatherArchive) -> Bool {
    let body = archive.report(for: WeatherCell(coordinate(number)))?.body
    return body.map { String(decoding: $0, as: UTF8.self).hasPrefix("\(number) ") } ?? false
  }

  static func run(
    path: String, from first: Int, killedAfterMicroseconds microseconds: UInt32, atStart: Bool
  ) {
    if atStart { SelfKill.strike(afterMicroseconds: microseconds) }
    let archive = WeatherArchive(path: path)
    for number in first... {
      let time = time(number)
      SelfKill.tell(-number)
      if !atStart, number == first { SelfKill.strike(afterMicroseconds: microseconds) }
      archive.record(
        StoredReport(
          cell: StoredReport.name(of: WeatherCell(coordinate(number))),
          coordinate: coordinate(number), provider: "metno", receivedAt: time, validSeconds: 300,
          validator: nil, body: Array("\(number) \(String(repeating: "x", count: 3000))".utf8)),
        ledgers: ["metno": ProviderUsage(at: time)])
      SelfKill.tell(number)
    }
  }
}
