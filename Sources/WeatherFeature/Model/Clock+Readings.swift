// SPDX-License-Identifier: Apache-2.0

internal import Positioning

extension Clock where Duration == Swift.Duration {
  /// The clock as readings that count from this moment.
  func readings() -> @Sendable () -> MonotonicTime {
    let origin = now
    return {
      let (seconds, attoseconds) = origin.duration(to: now).components
      return MonotonicTime(nanoseconds: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
  }
}
