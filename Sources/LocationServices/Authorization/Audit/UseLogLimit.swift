// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Bounds the lines that each user and unit adds to the log of uses, which all of them share.
///
/// Sixty lines are written at once, which is twenty uses, and three a minute from then on. So one
/// client fills the log in days and not in seconds.
final class UseLogLimit: Sendable {
  private struct State {
    var lines = RateLimit<ClientSelector>(burst: 60, perSecond: 3.0 / 60)
    var omittedCounts: [ClientSelector: UInt64] = [:]
  }

  private let state = Mutex(State())

  /// Asks to write a line about a client.
  ///
  /// - Returns: How many lines about it were left out before this one; `nil` where this one is left
  ///   out too.
  func take(_ client: ClientIdentity, at now: BootTimestamp) -> UInt64? {
    let key = client.evidence
    let time = MonotonicTime(nanoseconds: now.bootSeconds &* 1_000_000_000)
    return state.withLock { state in
      guard state.lines.take(from: key, at: time) else {
        state.omittedCounts[key, default: 0] &+= 1
        return nil
      }
      return state.omittedCounts.removeValue(forKey: key) ?? 0
    }
  }
}
