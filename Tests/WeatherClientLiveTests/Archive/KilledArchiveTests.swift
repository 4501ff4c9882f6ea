// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Positioning
import SystemSupport
import Testing
import WeatherClient

@testable import WeatherClientLive

/// Kills programs while they write reports as fast as possible.
@Suite("Weather archive of a killed program", .timeLimit(.minutes(10)))
struct KilledArchiveTests {
  private static let kills = 200
  /// The maximum number of rounds; a program killed between two writes does not count as a kill.
  private static let maxRounds = 800

  @Test
  func `the weather archive loses no committed report when 200 programs are killed during a write`() async throws {
    // Fork in a separate process without other threads: a fork starts a hundred times faster than a
    // new test program.
    await #expect(processExitsWith: .success) {
      let folder = try ScratchFolder()
      Self.kill(writersOf: folder.path + "/weather.sqlite")
    }
  }

  /// Forks writers, each of which is killed after a random delay.
  ///
  /// The delay begins with the first write; for every tenth writer, with the start of the writer.
  private static func kill(writersOf path: String) {
    var random = SeededGenerator(seed: 20_261_121)
    var nextNumber = 1
    var (kills, rounds) = (0, 0)
    while kills < Self.kills, rounds < Self.maxRounds {
      rounds += 1
      let (first, microseconds) = (nextNumber, UInt32.random(in: 0...20_000, using: &random))
      let delaysFromStart = rounds % 10 == 0
      let (output, signal) = SelfKill.runInFork {
        ArchiveWriter.run(
          path: path, from: first, killedAfterMicroseconds: microseconds,
          delaysFromStart: delaysFromStart)
      }
      #expect(signal == SIGKILL, "round \(rounds)")
      // A writer sends each number twice: as a negative number before the write, and as a positive
      // number after the commit.
      let begun = output.last { $0 < 0 }.map { -$0 }
      let committed = output.last { $0 > 0 }
      if let begun, begun > committed ?? 0 { kills += 1 }
      let archive = WeatherArchive(path: path)
      #expect(archive.takeNotices() == [], "round \(rounds)")
      let newest = ArchiveWriter.newest(in: archive)
      #expect(newest >= (committed ?? nextNumber - 1), "round \(rounds)")
      // The interrupted write may have been committed, but there is no later report.
      #expect(newest <= max(begun ?? 0, nextNumber - 1), "round \(rounds)")
      for number in nextNumber..<max(nextNumber, newest + 1) {
        #expect(ArchiveWriter.contains(number, in: archive), "\(number) in round \(rounds)")
      }
      nextNumber = newest + 1
    }
    #expect(kills == Self.kills, "of \(rounds) rounds")
    // Check that no round has damaged the reports of earlier rounds.
    let archive = WeatherArchive(path: path)
    for number in max(1, nextNumber - WeatherArchive.reportLimit)..<nextNumber {
      #expect(ArchiveWriter.contains(number, in: archive), "\(number) at the end")
    }
    // The ledger is written in the same transaction as the report.
    #expect(archive.ledgers() == ["metno": ProviderUsage(at: ArchiveWriter.time(nextNumber - 1))])
  }
}

/// Writes numbered reports, and sends each number before the write and after the commit.
enum ArchiveWriter {
  static func coordinate(_ number: Int) -> Coordinate {
    .at(Double(number % 900) * 0.1 - 45, Double(number / 900 % 900) * 0.1 - 45)
  }

  static func time(_ number: Int) -> BootTimestamp {
    BootTimestamp(utcSeconds: Int64(number), bootSeconds: Int64(number), boot: "b")
  }

  /// Returns the number of the newest report, or 0 without a report.
  static func newest(in archive: WeatherArchive) -> Int {
    archive.newestReports(limit: 1).first.flatMap {
      Int(String(decoding: $0.body, as: UTF8.self).prefix { $0 != " " })
    } ?? 0
  }

  static func contains(_ number: Int, in archive: WeatherArchive) -> Bool {
    let body = archive.report(for: WeatherCell(coordinate(number)))?.body
    return body.map { String(decoding: $0, as: UTF8.self).hasPrefix("\(number) ") } ?? false
  }

  static func run(
    path: String, from first: Int, killedAfterMicroseconds microseconds: UInt32,
    delaysFromStart: Bool
  ) {
    if delaysFromStart { SelfKill.schedule(afterMicroseconds: microseconds) }
    let archive = WeatherArchive(path: path)
    for number in first... {
      let time = time(number)
      SelfKill.report(-number)
      if !delaysFromStart, number == first { SelfKill.schedule(afterMicroseconds: microseconds) }
      archive.record(
        StoredReport(
          cell: StoredReport.name(of: WeatherCell(coordinate(number))),
          coordinate: coordinate(number), provider: "metno", receivedAt: time, validSeconds: 300,
          validator: nil, body: Array("\(number) \(String(repeating: "x", count: 3000))".utf8)),
        ledgers: ["metno": ProviderUsage(at: time)])
      SelfKill.report(number)
    }
  }
}
