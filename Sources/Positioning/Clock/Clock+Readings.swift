// SPDX-License-Identifier: Apache-2.0

extension Clock where Duration == Swift.Duration {
  /// Returns a function that reads this clock, with the current time as the origin.
  package func readings() -> @Sendable () -> MonotonicTime {
    let origin = now
    return {
      let (seconds, attoseconds) = origin.duration(to: now).components
      return MonotonicTime(nanoseconds: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
  }
}
