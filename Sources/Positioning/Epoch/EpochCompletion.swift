// SPDX-License-Identifier: Apache-2.0

extension EpochAssembler {
  /// The rule that completes an epoch.
  public enum Completion: Sendable {
    /// With the learnt last report of the cycle, or after a silence.
    case live
    /// When the next epoch begins, so that no report is late.
    case recorded
  }

  /// The silence on the line that completes an epoch: longer than one sentence takes at 4800 baud.
  public static let silenceNanoseconds: Int64 = 250_000_000

  /// The silence that completes an epoch without its learnt last report: longer than
  /// ``silenceNanoseconds``, so that a pause in a burst does not complete the epoch.
  public static let longSilenceNanoseconds: Int64 = 1_000_000_000
}
