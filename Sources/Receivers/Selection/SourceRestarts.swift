// SPDX-License-Identifier: Apache-2.0

import Positioning
internal import SystemSupport

/// Decides when a source that has ended is started again, with back-off.
struct SourceRestarts: Sendable {
  private struct BackOffs {
    /// The back-off after a failure; short at first, since a new port is often ready within moments.
    var failure = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 30_000_000_000)
    /// The back-off after a run without valid sentences; replugging the device bypasses it.
    var noSentences = BackOff(firstNanoseconds: 60_000_000_000, maxNanoseconds: 900_000_000_000)

    init(of member: SourceMember) {
      // The port is silent until positioning is enabled in the modem; no event reports that.
      if member.isUnvalidated, member.receiver?.role == .modemPort {
        noSentences = BackOff(firstNanoseconds: 15_000_000_000, maxNanoseconds: 30_000_000_000)
      }
    }
  }

  /// The length of a run after which the back-off starts from the beginning.
  private static let healthyNanoseconds: Int64 = 10_000_000_000
  /// The time after which a port that is open under another name is tried again.
  private static let duplicateNanoseconds: Int64 = 5_000_000_000

  /// The number of restarts after failures.
  private(set) var count: UInt64 = 0
  /// The back-offs of the sources that have ended, by name.
  private var backOffs: [String: BackOffs] = [:]
  private var generator: SplitMix64

  /// Makes the restarts of a group; `seed` is the seed for the jitter of the delays.
  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Returns the time at which a source is started again after a run has ended.
  ///
  /// For a source that was unplugged, `run` and `failure` are `nil`.
  mutating func next(
    for member: SourceMember, after run: SourceRun?, _ failure: SourceFailure?,
    at now: MonotonicTime
  ) -> MonotonicTime {
    if failure?.isDuplicate == true {
      return now.advanced(byNanoseconds: Self.duplicateNanoseconds)
    }
    var backOffs = backOffs[member.name] ?? BackOffs(of: member)
    defer { self.backOffs[member.name] = backOffs }
    if let run, run.hasDelivered,
      now.nanoseconds &- run.startedAt.nanoseconds >= Self.healthyNanoseconds
    {
      backOffs.failure.succeed()
    }
    return now.advanced(
      byNanoseconds: failure?.reason == .silent
        ? backOffs.noSentences.next(using: &generator) : backOffs.failure.next(using: &generator))
  }

  /// Counts the restart of a source that has failed.
  mutating func noteRestart() { count &+= 1 }

  /// Resets the back-off of a source whose device was plugged in.
  mutating func succeed(_ name: String) { backOffs[name]?.failure.succeed() }

  /// Removes the back-off of a source that was removed.
  mutating func forget(_ name: String) { backOffs[name] = nil }
}
