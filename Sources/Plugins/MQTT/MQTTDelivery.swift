// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Positioning

/// The state of the delivery to a broker, for the status.
struct MQTTDelivery: Equatable, Sendable {
  /// The time without an acknowledgement after which the broker counts as silent, in seconds.
  static let maxSilentSeconds = 10.0

  /// The reason why nothing is delivered; `nil` while the broker acknowledges messages.
  private(set) var waitingReason: String? = "connecting"
  private(set) var since: MonotonicTime
  /// The beginning of the last wait, which continues if the broker fails again soon.
  private var lastWaitSince: MonotonicTime
  /// The time of the oldest message in flight; `nil` if no message is in flight.
  var unacknowledgedSince: MonotonicTime?
  /// The number of messages that wait for an acknowledgement, with those in the outbox.
  var undeliveredCount = 0
  var oldestAt: MonotonicTime?

  init(now: MonotonicTime) { (since, lastWaitSince) = (now, now) }

  /// Notes the reason for a wait; a wait that follows the last one within `steadySeconds` continues
  /// it.
  mutating func wait(_ reason: String, steadySeconds: Double, now: MonotonicTime) {
    if waitingReason == nil {
      since = now.seconds(since: since) < steadySeconds ? lastWaitSince : now
    }
    waitingReason = reason
  }

  /// Notes that the broker has acknowledged all that it was sent first.
  mutating func deliver(now: MonotonicTime) {
    guard waitingReason != nil else { return }
    (waitingReason, lastWaitSince, since) = (nil, since, now)
  }

  /// Returns the state for the host.
  func state(of broker: String, now: MonotonicTime) -> SinkDelivery {
    var state = SinkDelivery(
      waitingReason: waitingReason.map { "\(broker): \($0)" }, since: since,
      undeliveredCount: undeliveredCount, oldestAt: oldestAt)
    if waitingReason == nil, let sentAt = unacknowledgedSince,
      now.seconds(since: sentAt) >= Self.maxSilentSeconds
    {
      state.waitingReason = "\(broker): the broker acknowledges no message"
      state.since = sentAt
    }
    return state
  }
}
