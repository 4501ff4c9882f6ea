// SPDX-License-Identifier: Apache-2.0

public import Positioning

extension LookupPolicy {
  /// When a lookup is due, if nothing else happens until then.
  ///
  /// Whoever holds a location that is not due looks it up at that reading, so that the last one
  /// is looked up although no other follows it.
  ///
  /// - Parameters:
  ///   - coordinate: Where the board is.
  ///   - now: The present reading of the clock.
  /// - Returns: The reading from which ``takeDue(at:now:)`` allows it; `now` where it does already.
  public func nextDue(at coordinate: Coordinate, now: MonotonicTime) -> MonotonicTime {
    var due = now
    if let refusedUntil { due = max(due, refusedUntil) }
    if let lastAttempt { due = max(due, lastAttempt.advanced(bySeconds: minimumIntervalSeconds)) }
    if let lastAnswer, coordinate.distanceMeters(to: lastAnswer.coordinate) < distanceMeters {
      due = max(due, lastAnswer.end)
    }
    return due
  }

  /// When an answer is too old.
  func outdated(answeredAt time: MonotonicTime) -> MonotonicTime {
    time.advanced(bySeconds: maximumAgeSeconds)
  }
}

extension MonotonicTime {
  /// The reading that many seconds later: none for what is no number, a century at most.
  func advanced(bySeconds seconds: Double) -> MonotonicTime {
    guard seconds > 0 else { return self }
    return advanced(byNanoseconds: Int64(min(seconds, 3_155_760_000) * 1e9))
  }
}
