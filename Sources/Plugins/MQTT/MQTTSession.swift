// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTClient
internal import Positioning
internal import SystemSupport

/// Decides when to connect to a broker, and what to publish next.
///
/// After each connection, the newest message of each topic is published first. The kept messages
/// follow in their order, at a limited rate.
struct MQTTSession: Sendable {
  /// The identifier of a message in flight: published, but not yet acknowledged.
  typealias Ticket = UInt16

  enum Action: Equatable, Sendable {
    case connect
    case publish(MQTTMessage, Ticket)
    /// Publish the first kept message after a sequence number, or report that there is none.
    case publishKept(after: Int64, Ticket)
    /// Remove kept messages by their sequence numbers, since they are acknowledged.
    case remove(ClosedRange<Int64>)
    /// Close the connection: with `isPlanned` after an MQTT DISCONNECT, so that the broker does not
    /// publish the will; otherwise because the broker does not answer, which is a failure.
    case disconnect(isPlanned: Bool)
    /// Wait for an event, at most until a time.
    case wait(until: MonotonicTime?)
    case finish
  }

  /// The time limits and rates.
  struct Limits: Equatable, Sendable {
    /// The number of messages in flight.
    var window = 16
    var keptPerSecond = 20.0
    /// The range of the random delay of kept messages after a connection.
    var keptDelaySeconds = 0.0...0.0
    /// The time limit for a consumer's confirmation, after which kept messages are published again;
    /// `nil` if the broker's acknowledgement suffices.
    var confirmationSeconds: Double?
    /// The time limit for the broker's CONNACK.
    var connectSeconds = 20.0
    /// The time limit for the acknowledgement of a message.
    var acknowledgementSeconds = 30.0
    /// The duration of a connection after which the delay of attempts begins anew.
    var steadySeconds = 60.0
    /// The time until the next attempt after a rejection.
    var rejectionSeconds = 300.0
    /// The time limit for publishing `offline` before the end.
    var stopSeconds = 2.0
  }

  private enum Phase: Equatable {
    case waiting(until: MonotonicTime)
    case connecting(until: MonotonicTime)
    case connected
    case finished
  }

  private let availability: String
  /// The payload of the availability after a connection; `nil` if the topic has a newest message.
  private let online: [UInt8]?
  private let offline: [UInt8]
  private let limits: Limits
  private var phase: Phase
  private var backOff = BackOff(firstNanoseconds: 1_000_000_000, maxNanoseconds: 120_000_000_000)
  private var generator: any RandomNumberGenerator & Sendable
  private var states: MQTTTopicStates
  /// The messages in flight, with the sequence numbers of kept ones.
  private var flights: MQTTFlights<Int64?>
  private var backlog: DeliveryBacklog
  /// The time of the broker's CONNACK; `nil` without a connection.
  private var connectedAt: MonotonicTime?
  private var republishAt: MonotonicTime?
  private var stopDeadline: MonotonicTime?
  private var deliveryState: MQTTDelivery
  /// Whether the broker has acknowledged a message since the last decision.
  private var hasAcknowledgement = false
  /// The time of the last acknowledgement; `nil` before the first.
  private var acknowledgedAt: MonotonicTime?
  /// A message that the broker does not accept and that is not reported yet.
  private var oversized: MQTTTopicStates.Oversized?

  /// Creates a session that connects at once.
  init(
    availability: String, online: [UInt8]? = Array("online".utf8),
    offline: [UInt8] = Array("offline".utf8), limits: Limits = Limits(), now: MonotonicTime,
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.availability = availability
    (self.online, self.offline) = (online, offline)
    self.limits = limits
    flights = MQTTFlights(window: limits.window)
    self.generator = generator
    phase = .waiting(until: now)
    states = MQTTTopicStates(firstTopic: availability)
    deliveryState = MQTTDelivery(now: now)
    backlog = DeliveryBacklog(
      intervalSeconds: 1 / limits.keptPerSecond, confirmationSeconds: limits.confirmationSeconds,
      now: now)
  }

  var isStopping: Bool { stopDeadline != nil }

  /// The state of the delivery, without the kept messages.
  var delivery: MQTTDelivery {
    var delivery = deliveryState
    // With a slow broker, a message may be old although the broker acknowledges others.
    delivery.unacknowledgedSince = flights.oldestAt.map { sentAt in
      acknowledgedAt.map { max($0, sentAt) } ?? sentAt
    }
    (delivery.undeliveredCount, delivery.oldestAt) = (states.waitingCount, states.oldestAt)
    return delivery
  }

  /// Returns a message that the broker does not accept, once.
  mutating func takeOversized() -> MQTTTopicStates.Oversized? {
    defer { oversized = nil }
    return oversized
  }

  // MARK: Events

  /// Replaces the message of a topic.
  mutating func publish(_ message: MQTTMessage, now: MonotonicTime) {
    guard stopDeadline == nil else { return }
    states.set(message, now: now)
  }

  /// Notes that another message was kept.
  mutating func messageWasKept() { backlog.messageWasKept() }

  /// Notes that a consumer has confirmed all kept messages up to a sequence number.
  mutating func confirmed(through sequence: Int64, now: MonotonicTime) {
    backlog.confirmed(through: sequence, now: now)
  }

  /// Records that the TCP connection is open.
  ///
  /// Starts the time limit for the broker's CONNACK.
  mutating func opened(now: MonotonicTime) {
    guard case .connecting = phase else { return }
    phase = .connecting(until: now.advanced(bySeconds: limits.connectSeconds))
  }

  /// Notes that the broker has accepted the connection.
  mutating func connected(now: MonotonicTime) {
    guard case .connecting = phase else { return }
    (phase, connectedAt) = (.connected, now)
    guard stopDeadline == nil else {
      // The session disconnects without publishing anything.
      states.removeAll()
      return
    }
    republishAt = nil
    let delay = Double.random(in: limits.keptDelaySeconds, using: &generator)
    backlog.connected(firstAt: now.advanced(bySeconds: delay))
    states.republish(now: now)
    if let online { states.set(MQTTMessage(topic: availability, payload: online), now: now) }
  }

  /// Notes that a connection ended or could not be made.
  ///
  /// Two clients with one client id end each other's connections. The back-off is reset only by a
  /// connection that lasted. Otherwise two such clients would disconnect each other again and again.
  mutating func failed(_ failure: MQTTFailure, now: MonotonicTime) {
    let first = flights.firstID
    flights.removeAll()
    deliveryState.wait(failure.text, steadySeconds: limits.steadySeconds, now: now)
    oversized =
      states.connectionEnded(wasClosed: failure.wasClosed, first: first, now: now) ?? oversized
    if let connectedAt, now.seconds(since: connectedAt) >= limits.steadySeconds {
      backOff.succeed()
      states.forgetLimit()
    }
    connectedAt = nil
    if stopDeadline != nil {
      phase = .finished
    } else if failure.isRejection {
      phase = .waiting(until: now.advanced(bySeconds: limits.rejectionSeconds))
    } else {
      phase = .waiting(until: now.advanced(byNanoseconds: backOff.next(using: &generator)))
    }
  }

  /// Notes that the broker has acknowledged a message.
  mutating func acknowledged(_ ticket: Ticket) {
    guard let flight = flights.remove(ticket) else { return }
    hasAcknowledgement = true
    states.acknowledged(ticket)
    if let sequence = flight.value { backlog.acknowledged(sequence) }
  }

  /// Notes the sequence number of the kept message that was published; `nil` if there was none.
  mutating func published(kept sequence: Int64?, _ ticket: Ticket, now: MonotonicTime) {
    if sequence == nil { _ = flights.remove(ticket) } else { flights.set(sequence, for: ticket) }
    backlog.published(sequence, now: now)
  }

  /// Publishes all messages again after a delay, for a subscriber that has restarted.
  mutating func republish(at time: MonotonicTime) { republishAt = time }

  /// Ends the session after `offline` was published.
  mutating func stop(now: MonotonicTime) {
    guard stopDeadline == nil else { return }
    stopDeadline = now.advanced(bySeconds: limits.stopSeconds)
    switch phase {
    case .connected:
      states.set(MQTTMessage(topic: availability, payload: offline), now: now)
    case .connecting, .finished: break
    case .waiting: phase = .finished
    }
  }

  // MARK: Decisions

  /// Returns the next action, which the caller performs before the next call.
  mutating func next(now: MonotonicTime) -> Action {
    if let range = backlog.nextRemoval() { return .remove(range) }
    switch phase {
    case .finished: return .finish
    case .waiting(let until):
      guard now >= until else { return .wait(until: until) }
      phase = .connecting(until: now.advanced(bySeconds: limits.connectSeconds))
      return .connect
    case .connecting where stopDeadline != nil:
      phase = .finished
      return .disconnect(isPlanned: true)
    case .connecting(let until):
      guard now >= until else { return .wait(until: until) }
      return .disconnect(isPlanned: false)
    case .connected: return nextWhileConnected(now)
    }
  }

  private mutating func nextWhileConnected(_ now: MonotonicTime) -> Action {
    if let republishAt, now >= republishAt {
      self.republishAt = nil
      states.republish(now: now)
    }
    let deadline = flights.oldestAt?.advanced(bySeconds: limits.acknowledgementSeconds)
    if let deadline, now >= deadline { return .disconnect(isPlanned: false) }
    noteProgress(now)
    if flights.hasRoom {
      if let index = states.nextIndex {
        let ticket = flights.add(nil, at: now)
        return .publish(states.publish(index, ticket), ticket)
      }
      if stopDeadline == nil, let cursor = backlog.next(now: now) {
        return .publishKept(after: cursor, flights.add(nil, at: now))
      }
    }
    if let stopDeadline, flights.isEmpty || now >= stopDeadline {
      phase = .finished
      return .disconnect(isPlanned: true)
    }
    let times = [
      republishAt, stopDeadline, deadline,
      flights.hasRoom && stopDeadline == nil ? backlog.nextAt : nil,
    ]
    return .wait(until: times.compactMap { $0 }.min())
  }

  /// Ends the wait once the broker has acknowledged the newest message of each topic, or any message
  /// on a connection that has lasted.
  ///
  /// An accepted connection is no delivery: a broker may close it at the first message. If a broker
  /// takes longer to acknowledge a position than the next one takes to come, a message always waits.
  private mutating func noteProgress(_ now: MonotonicTime) {
    let isSteady = connectedAt.map { now.seconds(since: $0) >= limits.steadySeconds } ?? false
    let isProgress = hasAcknowledgement && isSteady
    if hasAcknowledgement { (hasAcknowledgement, acknowledgedAt) = (false, now) }
    if backlog.isConfirmationOverdue {
      deliveryState.wait(
        "no confirmation from the fleet's consumer", steadySeconds: limits.steadySeconds, now: now)
    } else if states.waitingCount == 0 || isProgress {
      deliveryState.deliver(now: now)
    }
  }
}
