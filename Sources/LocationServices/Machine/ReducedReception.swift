// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The reception as known to a client with reduced accuracy.
///
/// The known reception changes no more often than the client's locations, because the moments of
/// loss and recovery would reveal bridges and tunnels.
struct ReducedReception: Equatable, Sendable {
  typealias Reception = LocationMachine.Reception

  /// The reception last reported to the client.
  private(set) var known = Reception.nothing
  private var changedAt: MonotonicTime?
  /// Whether a different reception waits for the timer before the client learns of it.
  private(set) var isHeld = false

  /// Adopts the reception that the client had while its accuracy was full.
  mutating func begin(with reception: Reception) {
    if reception != known { (known, changedAt) = (reception, nil) }
    isHeld = false
  }

  /// Processes the current reception.
  ///
  /// - Parameters:
  ///   - reception: The reception.
  ///   - now: The current time.
  ///   - isRevealed: Whether the client receives a location or an epoch that reveals the reception.
  /// - Returns: The delay in seconds if a timer has to be started, otherwise `nil`.
  mutating func take(_ reception: Reception, at now: MonotonicTime, isRevealed: Bool) -> Double? {
    let waits =
      changedAt.map { ReducedAccuracy.minimumSeconds - now.seconds(since: $0) } ?? 0
    guard reception != known else {
      isHeld = false
      return nil
    }
    guard isRevealed || waits <= 0 else {
      defer { isHeld = true }
      return isHeld ? nil : waits
    }
    (known, changedAt, isHeld) = (reception, now, false)
    return nil
  }

  /// Ends the delay when the timer has fired.
  mutating func endWait() { isHeld = false }
}
