// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The newest message of each topic, until the broker has acknowledged it.
struct MQTTTopicStates: Sendable {
  private struct State {
    var message: MQTTMessage
    var isPending = true
    /// The time since which the message waits; `nil` if the broker has acknowledged it.
    var waitingSince: MonotonicTime?
    /// The ticket with which the message is in flight; `nil` if it is not.
    var ticket: MQTTSession.Ticket?
  }

  /// The topic of the first message of a connection: a new subscriber needs it before the rest.
  private let firstTopic: String
  private var states: [State] = []

  init(firstTopic: String) { self.firstTopic = firstTopic }

  /// The number of messages that wait for an acknowledgement.
  var waitingCount: Int { waiting.count }
  /// The time of the oldest of these messages; `nil` if there is none.
  var oldestAt: MonotonicTime? { waiting.compactMap(\.waitingSince).min() }

  private var waiting: [State] { states.filter { $0.waitingSince != nil } }

  /// Replaces the message of a topic.
  mutating func set(_ message: MQTTMessage, now: MonotonicTime) {
    let state = State(message: message, waitingSince: now)
    guard let index = states.firstIndex(where: { $0.message.topic == message.topic }) else {
      return states.insert(state, at: message.topic == firstTopic ? 0 : states.count)
    }
    states[index] = state
  }

  /// Publishes all messages again.
  mutating func republish(now: MonotonicTime) {
    for index in states.indices {
      states[index].isPending = true
      states[index].waitingSince = states[index].waitingSince ?? now
    }
  }

  mutating func removeAll() { states = [] }

  /// Returns the next message, which is then in flight; `nil` if there is none.
  mutating func next(ticket: MQTTSession.Ticket) -> MQTTMessage? {
    guard let index = states.firstIndex(where: \.isPending) else {
      return nil
    }
    (states[index].isPending, states[index].ticket) = (false, ticket)
    return states[index].message
  }

  mutating func acknowledged(_ ticket: MQTTSession.Ticket) {
    guard let index = states.firstIndex(where: { $0.ticket == ticket }) else { return }
    (states[index].ticket, states[index].waitingSince) = (nil, nil)
  }

  /// Notes the end of a connection.
  mutating func connectionEnded() {
    for index in states.indices { states[index].ticket = nil }
  }
}
