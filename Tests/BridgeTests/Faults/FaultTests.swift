// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The daemon through ten hours of faults, on a clock that stands still while anything is to do.
@Suite(
  "The daemon in ten hours of faults", .serialized, .timeLimit(.minutes(20)),
  .enabled(if: SmallVolume.isPermitted, "needs a file system of its own"))
struct FaultTests {
  static let seconds = 36_000

  /// Which seed decides on when what goes wrong: another one for other schedules.
  static let seed = ProcessInfo.processInfo.environment["FIXCAST_FAULT_SEED"].flatMap { UInt64($0) }

  /// How many pairs; all 36 of them take some ten minutes.
  static let pairCount =
    ProcessInfo.processInfo.environment["FIXCAST_FAULT_PAIRS"].flatMap { Int($0) } ?? 4

  /// Pairs drawn from all that there are.
  static let pairs: [[Fault]] = {
    var generator = SeededGenerator(seed: seed ?? 20)
    return Array(Fault.pairs.shuffled(using: &generator).prefix(pairCount))
  }()

  private func expectWell(_ faults: [Fault], seed: UInt64) throws {
    let run = FaultRun(faults: faults, seconds: Self.seconds, seed: Self.seed ?? seed)
    let summary = try #require(run())
    #expect(summary.failure == nil, "\(summary.failure?.description ?? "")")
    // Something has happened.
    #expect(summary.locations > UInt64(Self.seconds) / 2)
    #expect(summary.weather > 50)
    if !Self.restarting.isDisjoint(with: faults) {
      #expect(summary.errors > 10 && summary.restarts > 10)
    }
  }

  /// The faults for which a sink is started again.
  private static let restarting: Set<Fault> = [.diskFull, .sinkBlocked, .execCrashing]

  @Test("nothing goes wrong by itself")
  func none() throws { try expectWell([], seed: 1) }

  @Test("each fault alone is told of, concerns nobody else and passes", arguments: Fault.allCases)
  func alone(_ fault: Fault) throws { try expectWell([fault], seed: 1) }

  @Test("two at once are told of, concern nobody else and pass", arguments: pairs)
  func pair(_ faults: [Fault]) throws { try expectWell(faults, seed: 2) }
}
