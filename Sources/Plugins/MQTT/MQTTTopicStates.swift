// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The newest message of each topic, until the broker has acknowledged it.
///
/// A broker closes a connection at a message above its packet limit. If it does so twice, messages of
/// that size are divided or left out, so that the other topics reach it. The same holds for a broker
/// that closes a connection at a topic that it does not allow.
struct MQTTTopicStates: Sendable {
  /// A message that a broker does not accept.
  struct Oversized: Equatable, Sendable {
    let topic: String
    let byteCount: Int
  }

  private struct State {
    var message: MQTTMessage
    var isPending = true
    /// The time since which the message waits; `nil` if the broker has acknowledged it.
    var waitingSince: MonotonicTime?
    /// The ticket with which the message is in flight; `nil` if it is not.
    var ticket: MQTTSession.Ticket?
  }

  /// The size below which no message is taken for the cause of a close, in bytes.
  ///
  /// No broker is known with a smaller limit.
  private static let minSuspectBytes = 1024

  /// The topic of the first message of a connection: a new subscriber needs it before the rest.
  private let firstTopic: String
  private var states: [State] = []
  /// The largest message that was in flight when the broker closed the last connection; `nil` if it
  /// was small.
  private var suspectBytes: Int?
  /// The size from which messages are not published; `nil` without a limit.
  private var limitBytes: Int?
  /// The topic of the optional message at which the broker closed the last connection.
  private var suspectTopic: String?
  /// Whether optional messages without parts are not published.
  private var isWithoutOptional = false

  init(firstTopic: String) { self.firstTopic = firstTopic }

  /// The number of messages that wait for an acknowledgement.
  var waitingCount: Int { waiting.count }
  /// The time of the oldest of these messages; `nil` without messages.
  var oldestAt: MonotonicTime? { waiting.compactMap(\.waitingSince).min() }

  private var waiting: [State] { states.filter { $0.waitingSince != nil && !isLeftOut($0) } }

  private func isLeftOut(_ state: State) -> Bool {
    let message = state.message
    return isTooLarge(state) || isWithoutOptional && message.isOptional && message.parts.isEmpty
  }

  private func isTooLarge(_ state: State) -> Bool {
    limitBytes.map { state.message.payload.count >= $0 } ?? false
  }

  /// Replaces the message of a topic.
  mutating func set(_ message: MQTTMessage, now: MonotonicTime) {
    let state = State(message: message, waitingSince: now)
    guard let index = states.firstIndex(where: { $0.message.topic == message.topic }) else {
      return states.insert(state, at: message.topic == firstTopic ? 0 : states.count)
    }
    states[index] = state
    if limitBytes != nil { divideTooLarge(now) }
  }

  /// Publishes all messages again.
  mutating func republish(now: MonotonicTime) {
    for index in states.indices {
      states[index].isPending = true
      states[index].waitingSince = states[index].waitingSince ?? now
    }
  }

  mutating func removeAll() { states = [] }

  /// The index of the next message; `nil` if the queue is empty.
  var nextIndex: Int? { states.firstIndex { $0.isPending && !isLeftOut($0) } }

  /// Returns a message, which is then in flight.
  mutating func publish(_ index: Int, _ ticket: MQTTSession.Ticket) -> MQTTMessage {
    (states[index].isPending, states[index].ticket) = (false, ticket)
    return states[index].message
  }

  mutating func acknowledged(_ ticket: MQTTSession.Ticket) {
    guard let index = states.firstIndex(where: { $0.ticket == ticket }) else { return }
    (states[index].ticket, states[index].waitingSince) = (nil, nil)
  }

  /// Notes the end of a connection, and returns the message that the broker does not accept, if that
  /// is new.
  ///
  /// A broker acknowledges messages in their order, so it closed the connection at the first message
  /// without an acknowledgement, whose ticket is `first`.
  mutating func connectionEnded(
    wasClosed: Bool, first: MQTTSession.Ticket?, now: MonotonicTime
  ) -> Oversized? {
    let suspect = first.flatMap { first in states.first { $0.ticket == first }?.message }
    let largest = states.filter { $0.ticket != nil }
      .max { $0.message.payload.count < $1.message.payload.count }?.message
    for index in states.indices { states[index].ticket = nil }
    if wasClosed, let suspect, suspect.isOptional, suspect.parts.isEmpty {
      suspectBytes = nil
      isWithoutOptional = suspectTopic == suspect.topic
      suspectTopic = suspect.topic
      return isWithoutOptional
        ? Oversized(topic: suspect.topic, byteCount: suspect.payload.count) : nil
    }
    suspectTopic = nil
    guard wasClosed, let largest, largest.payload.count >= Self.minSuspectBytes else {
      suspectBytes = nil
      return nil
    }
    let bytes = largest.payload.count
    defer { suspectBytes = bytes }
    guard let suspectBytes else { return nil }
    limitBytes = min(bytes, suspectBytes)
    divideTooLarge(now)
    return Oversized(topic: largest.topic, byteCount: bytes)
  }

  /// Publishes messages of any size again, since the broker may have changed.
  mutating func forgetLimit() {
    (suspectBytes, limitBytes) = (nil, nil)
    (suspectTopic, isWithoutOptional) = (nil, false)
  }

  private mutating func divideTooLarge(_ now: MonotonicTime) {
    let divisible = states.filter { isTooLarge($0) && !$0.message.parts.isEmpty }.map(\.message)
    states.removeAll { divisible.contains($0.message) }
    for part in divisible.flatMap(\.parts) { set(part, now: now) }
  }
}
