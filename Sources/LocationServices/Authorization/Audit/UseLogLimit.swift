// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Limits the lines about each client (user and unit) in the shared log of uses.
///
/// A client can write 60 lines (20 uses) at once, then three lines a minute. At this rate, a client
/// needs days instead of seconds to fill the log.
final class UseLogLimit: Sendable {
  private struct State {
    var lines = RateLimit<ClientSelector>(burst: 60, perSecond: 3.0 / 60)
    var omittedCounts: [ClientSelector: UInt64] = [:]
  }

  private let state = Mutex(State())

  /// Requests permission to write a line about a client.
  ///
  /// - Returns: The number of lines omitted before this one; `nil` if this line must be omitted
  ///   too.
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
