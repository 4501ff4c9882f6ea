// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// Decides which kept message is published next, and which kept messages are removed.
///
/// With a consumer that confirms messages, the broker's acknowledgement only moves the position at
/// which the next connection continues, and the confirmation removes the messages.
package struct DeliveryBacklog: Sendable {
  /// The maximum of the time limit for a confirmation, which doubles while nothing is confirmed.
  private static let maxConfirmationSeconds = 14_400.0

  private let intervalSeconds: Double
  /// The time limit for a confirmation; `nil` if the broker's acknowledgement removes a message.
  private let confirmationSeconds: Double?
  /// The sequence number of the message that was published last on this connection.
  private var cursor: Int64 = 0
  /// The highest sequence number that was published since the start.
  private var highest: Int64 = 0
  /// The sequence number up to which the broker has acknowledged all messages.
  private var acknowledgedThrough: Int64 = 0
  /// The highest sequence number that the consumer has confirmed since the start.
  private var confirmedThrough: Int64 = 0
  /// The messages in flight, in the order of publication, and whether they are acknowledged.
  private var flights: [(sequence: Int64, isAcknowledged: Bool)] = []
  private var removals: [ClosedRange<Int64>] = []
  /// Whether there may be messages after the cursor.
  private var mayHaveMore = true
  private var earliestAt: MonotonicTime
  /// The current time limit for a confirmation.
  private var resendSeconds: Double?
  /// The time at which unconfirmed messages are published again.
  private var resendAt: MonotonicTime?

  package init(intervalSeconds: Double, confirmationSeconds: Double?, now: MonotonicTime) {
    self.intervalSeconds = intervalSeconds
    self.confirmationSeconds = confirmationSeconds
    (earliestAt, resendSeconds) = (now, confirmationSeconds)
  }

  // MARK: Events

  package mutating func messageWasKept() { mayHaveMore = true }

  /// Notes a new connection, on which messages may be published from a time on.
  package mutating func connected(firstAt time: MonotonicTime) {
    (cursor, mayHaveMore, earliestAt, flights) = (acknowledgedThrough, true, time, [])
  }

  /// Notes the sequence number of the message that was published; `nil` if there was none.
  package mutating func published(_ sequence: Int64?, now: MonotonicTime) {
    guard let sequence else {
      mayHaveMore = false
      return
    }
    flights.append((sequence, false))
    (cursor, highest) = (sequence, max(highest, sequence))
    earliestAt = now.advanced(bySeconds: intervalSeconds)
    if resendAt == nil { resendAt = resendSeconds.map { now.advanced(bySeconds: $0) } }
  }

  /// Notes that the broker has acknowledged a message.
  package mutating func acknowledged(_ sequence: Int64) {
    guard confirmationSeconds != nil else {
      removals.append(sequence...sequence)
      return
    }
    guard let index = flights.firstIndex(where: { $0.sequence == sequence }) else { return }
    flights[index].isAcknowledged = true
    while let first = flights.first, first.isAcknowledged {
      acknowledgedThrough = first.sequence
      flights.removeFirst()
    }
  }

  /// Notes that a consumer has confirmed all messages up to a sequence number.
  ///
  /// Ignores numbers above those that were published, which may be meant for another board. After a
  /// gap, the consumer repeats the number before the gap, which does not postpone the resending.
  package mutating func confirmed(through sequence: Int64, now: MonotonicTime) {
    guard let confirmationSeconds, sequence > 0, sequence <= highest else { return }
    removals.append(0...sequence)
    acknowledgedThrough = max(acknowledgedThrough, sequence)
    cursor = max(cursor, sequence)
    guard sequence > confirmedThrough else { return }
    (confirmedThrough, resendSeconds) = (sequence, confirmationSeconds)
    resendAt = sequence == highest ? nil : now.advanced(bySeconds: confirmationSeconds)
  }

  // MARK: Decisions

  /// Whether a time limit for a confirmation has passed, and nothing was confirmed since then.
  package var isConfirmationOverdue: Bool { resendSeconds != confirmationSeconds }

  package mutating func nextRemoval() -> ClosedRange<Int64>? {
    removals.isEmpty ? nil : removals.removeFirst()
  }

  /// Returns the sequence number after which the next message is published; `nil` if none is due.
  package mutating func next(now: MonotonicTime) -> Int64? {
    if let resendAt, now >= resendAt {
      // Confirmed messages are removed, so the first one that is left is the first unconfirmed one.
      (cursor, acknowledgedThrough, flights, self.resendAt) = (0, 0, [], nil)
      resendSeconds = resendSeconds.map { max($0, min($0 * 2, Self.maxConfirmationSeconds)) }
      mayHaveMore = true
    }
    return mayHaveMore && now >= earliestAt ? cursor : nil
  }

  /// The time at which a message may be due; `nil` if none is.
  package var nextAt: MonotonicTime? {
    mayHaveMore ? earliestAt : resendAt
  }
}
