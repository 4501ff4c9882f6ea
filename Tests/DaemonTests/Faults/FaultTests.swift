// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The daemon through ten hours of faults, on a clock that stands still while anything is to do.
@Suite(
  "The daemon in ten hours of faults", .serialized, .timeLimit(.minutes(60)),
  .enabled(if: SmallVolume.isPermitted, "needs a file system of its own"))
struct FaultTests {
  static let seconds = 36_000

  /// Which seed decides on when what goes wrong: another one for other schedules.
  static let seed = ProcessInfo.processInfo.environment["FIXCAST_FAULT_SEED"].flatMap { UInt64($0) }

  /// The faults that come alone, by their names with commas between; all of them by default.
  static let named = ProcessInfo.processInfo.environment["FIXCAST_FAULTS"].map {
    $0.split(separator: ",").compactMap { Fault(rawValue: String($0)) }
  }

  /// How many pairs; all 36 of them take some ten minutes.
  static let pairCount =
    ProcessInfo.processInfo.environment["FIXCAST_FAULT_PAIRS"].flatMap { Int($0) } ?? 4

  /// Pairs drawn from all that there are.
  static let pairs: [[Fault]] = {
    var generator = SeededGenerator(seed: seed ?? 20)
    return Array(Fault.pairs.shuffled(using: &generator).prefix(pairCount))
  }()

  private static func runs(_ faults: [[Fault]], seed: UInt64) -> FaultRuns {
    FaultRuns(faults.map { FaultRun(faults: $0, seconds: seconds, seed: Self.seed ?? seed) })
  }

  private static let nothingOrOne = runs(single, seed: 1)
  private static let two = runs(pairs, seed: 2)

  private func expectWell(_ faults: [Fault], in runs: FaultRuns) throws {
    let summary = try #require(runs.summary(of: faults))
    #expect(summary.failure == nil, "\(summary.failure?.description ?? "")")
    // Something has happened.
    #expect(summary.locations > UInt64(Self.seconds) / 2)
    #expect(summary.weather > 50)
    #expect(summary.lines > UInt64(Self.seconds) / 2)
    if !Self.restarting.isDisjoint(with: faults) {
      #expect(summary.errors > 10 && summary.restarts > 10)
    }
  }

  /// The faults for which a sink is started again.
  private static let restarting: Set<Fault> = [.diskFull, .sinkBlocked, .execCrashing]

  /// Nothing, and each alone.
  static let single: [[Fault]] = named?.map { [$0] } ?? [[]] + Fault.allCases.map { [$0] }

  @Test(
    "nothing goes wrong by itself; each fault alone is told of, concerns nobody else and passes",
    arguments: single)
  func alone(_ faults: [Fault]) throws { try expectWell(faults, in: Self.nothingOrOne) }

  @Test("two at once are told of, concern nobody else and pass", arguments: pairs)
  func pair(_ faults: [Fault]) throws { try expectWell(faults, in: Self.two) }
}
