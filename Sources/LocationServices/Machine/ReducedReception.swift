// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// What a client of reduced accuracy may know of the reception: it changes as seldom as its
/// locations come, or the moments at which it comes and goes would tell of bridges and tunnels.
struct ReducedReception: Equatable, Sendable {
  typealias Reception = LocationMachine.Reception

  /// What it knows.
  private(set) var known = Reception.nothing
  private var changedAt: MonotonicTime?
  /// Whether another than the known one waits until it may be told, by a timer.
  private(set) var isHeld = false

  /// Takes over what a client of full accuracy knew already.
  mutating func begin(with reception: Reception) {
    if reception != known { (known, changedAt) = (reception, nil) }
    isHeld = false
  }

  /// Takes the reception as it is.
  ///
  /// - Parameters:
  ///   - reception: What it is.
  ///   - now: When.
  ///   - isTold: Whether the client is told of a location or an epoch that gives it away.
  /// - Returns: For how many seconds it has to wait, where nothing counts them yet.
  mutating func take(_ reception: Reception, at now: MonotonicTime, isTold: Bool) -> Double? {
    let waits =
      changedAt.map { ReducedAccuracy.minimumSeconds - now.seconds(since: $0) } ?? 0
    guard reception != known else {
      isHeld = false
      return nil
    }
    guard isTold || waits <= 0 else {
      defer { isHeld = true }
      return isHeld ? nil : waits
    }
    (known, changedAt, isHeld) = (reception, now, false)
    return nil
  }

  /// The timer has fired.
  mutating func endWait() { isHeld = false }
}
