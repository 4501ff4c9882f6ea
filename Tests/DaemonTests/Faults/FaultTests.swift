// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import SystemSupport
import Testing

/// Tests the daemon with hours of faults, on a manual clock that waits for all pending work.
///
/// `make faults` runs ten hours of each fault and of all 36 pairs.
@Suite(
  "Daemon with hours of faults", .serialized, .tags(.slow), .timeLimit(.minutes(60)),
  .enabled(if: SmallVolume.isPermitted, "needs the permission to mount a file system"))
struct FaultTests {
  /// The simulated hours of each run.
  static let hours =
    ProcessInfo.processInfo.environment["FIXCAST_FAULT_HOURS"].flatMap { Int($0) } ?? 1
  static let seconds = hours * 3600

  /// The seed of all schedules; `nil` for the default seeds.
  static let seed = ProcessInfo.processInfo.environment["FIXCAST_FAULT_SEED"].flatMap { UInt64($0) }

  /// The faults to test, each on its own, separated by commas; `nil` for all faults.
  static let selectedFaults = ProcessInfo.processInfo.environment["FIXCAST_FAULTS"].map {
    $0.split(separator: ",").compactMap { Fault(rawValue: String($0)) }
  }

  /// Number of pairs to test.
  static let pairCount =
    ProcessInfo.processInfo.environment["FIXCAST_FAULT_PAIRS"].flatMap { Int($0) } ?? 2

  /// A random selection of all pairs.
  static let pairs: [[Fault]] = {
    var generator = SeededGenerator(seed: seed ?? 20)
    return Array(Fault.pairs.shuffled(using: &generator).prefix(pairCount))
  }()

  private static func runs(_ faults: [[Fault]], seed: UInt64) -> FaultRuns {
    FaultRuns(faults.map { FaultRun(faults: $0, seconds: seconds, seed: Self.seed ?? seed) })
  }

  private static let singleFaultRuns = runs(single, seed: 1)
  private static let pairRuns = runs(pairs, seed: 2)

  private func expectPass(_ faults: [Fault], in runs: FaultRuns) async throws {
    let summary = try #require(await BlockingThread.value { runs.summary(of: faults) })
    #expect(summary.failure == nil, "\(summary.failure?.description ?? "")")
    // The counts show that the daemon has processed events during the run.
    #expect(summary.locations > UInt64(Self.seconds) / 2)
    #expect(summary.weather > 5 * UInt64(Self.hours))
    #expect(summary.lines > UInt64(Self.seconds) / 2)
    if !Self.restartingFaults.isDisjoint(with: faults) {
      // A short run may have only one restart.
      let minimum = UInt64(Self.hours == 1 ? 1 : Self.hours + 1)
      #expect(summary.errors >= minimum && summary.restarts >= minimum)
    }
  }

  /// The faults that restart a sink.
  private static let restartingFaults: Set<Fault> = [.diskFull, .sinkBlocked, .execCrashing]

  /// The faults of the runs: one run without faults, and one run for each fault.
  static let single: [[Fault]] =
    selectedFaults?.map { [$0] } ?? [[]] + Fault.allCases.map { [$0] }

  @Test(arguments: single)
  func `the daemon runs without errors, and reports, isolates and recovers from each single fault`(_ faults: [Fault])
    async throws
  {
    try await expectPass(faults, in: Self.singleFaultRuns)
  }

  @Test(arguments: pairs)
  func `the daemon reports, isolates and recovers from two simultaneous faults`(_ faults: [Fault]) async throws {
    try await expectPass(faults, in: Self.pairRuns)
  }
}
