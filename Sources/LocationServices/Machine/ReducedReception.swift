// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The reception that is reported to a client with reduced accuracy.
///
/// The reported reception changes no more often than the client's locations, because the moments of
/// loss and recovery would reveal bridges and tunnels.
struct ReducedReception: Equatable, Sendable {
  typealias Reception = LocationMachine.Reception

  /// The reception last reported to the client.
  private(set) var reported = Reception.noReceiver
  private var changedAt: MonotonicTime?
  /// Whether the report of a different reception is delayed until the timer fires.
  private(set) var isDelayed = false

  /// Adopts the reception that the client had while its accuracy was full.
  mutating func begin(with reception: Reception) {
    if reception != reported { (reported, changedAt) = (reception, nil) }
    isDelayed = false
  }

  /// Processes the current reception.
  ///
  /// - Parameters:
  ///   - reception: The reception.
  ///   - now: The current time.
  ///   - isRevealed: Whether the client receives a location or an epoch that reveals the reception.
  /// - Returns: The delay in seconds if a timer has to be started, otherwise `nil`.
  mutating func take(_ reception: Reception, at now: MonotonicTime, isRevealed: Bool) -> Double? {
    let remaining =
      changedAt.map { ReducedAccuracy.minimumSeconds - now.seconds(since: $0) } ?? 0
    guard reception != reported else {
      isDelayed = false
      return nil
    }
    guard isRevealed || remaining <= 0 else {
      defer { isDelayed = true }
      return isDelayed ? nil : remaining
    }
    (reported, changedAt, isDelayed) = (reception, now, false)
    return nil
  }

  /// Ends the delay when the timer has fired.
  mutating func endWait() { isDelayed = false }
}
