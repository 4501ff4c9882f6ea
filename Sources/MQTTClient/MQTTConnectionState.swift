// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The protocol of one connection, without a socket: handshake, keepalive and limits.
package struct MQTTConnectionState: Sendable {
  /// The packets of a connection, and the broker's limits.
  package struct Settings: Equatable, Sendable {
    package var connect: MQTTPacket.Connect
    package var filters: [String] = []
    /// The maximum QoS of the messages of ``filters``.
    package var qos: UInt8 = 1
    /// Whether the connection fails if the broker rejects a subscription.
    package var needsSubscriptions = false
    /// The maximum length of a packet in bytes; the payload of a longer message is skipped.
    package var maxLength = MQTTPacketDecoder.maxLength
    /// The number of bytes without a complete message beyond which the connection fails; `nil` for no
    /// limit.
    package var maxPendingBytes: Int?
    package var names = MQTTSettingNames.configuration

    package init(connect: MQTTPacket.Connect) { self.connect = connect }
  }

  package enum Action: Equatable, Sendable {
    case send(MQTTPacket)
    case report(MQTTEvent)
    case fail(MQTTFailure)
  }

  /// The time limit for a CONNACK, which includes a TLS handshake.
  private static let connackSeconds = 20.0
  /// The time after a deadline in which an answer is read that has arrived while the loop was busy.
  private static let extensionSeconds = 1.0

  private let settings: Settings
  /// The time after which a connection without packets in one direction is tested.
  private let pingSeconds: Double
  /// The time limit for the answer to that test.
  private let pongSeconds: Double
  private var sentAt: MonotonicTime
  private var receivedAt: MonotonicTime
  /// The deadline for the broker's answer; `nil` if no answer is due.
  private var answerBy: MonotonicTime? { didSet { hasExtension = false } }
  /// Whether the deadline has passed once.
  private var hasExtension = false
  private var isAccepted = false
  private var isReading = true
  /// The number of bytes since the last complete message.
  private var pendingBytes = 0

  package init(_ settings: Settings, now: MonotonicTime) {
    self.settings = settings
    let seconds = Double(settings.connect.keepAliveSeconds)
    (pingSeconds, pongSeconds) = (seconds * 0.75, min(seconds / 2, Self.connackSeconds))
    (sentAt, receivedAt) = (now, now)
  }

  /// The time of the next call of ``next(at:)``.
  package var nextAt: MonotonicTime {
    answerBy ?? min(sentAt, receivedAt).advanced(bySeconds: pingSeconds)
  }

  /// Notes that the connection is open.
  package mutating func opened(at now: MonotonicTime) -> [Action] {
    (sentAt, receivedAt) = (now, now)
    answerBy = now.advanced(bySeconds: Self.connackSeconds)
    return [.send(.connect(settings.connect)), .report(.opened)]
  }

  /// Notes that packets were sent.
  package mutating func sent(at now: MonotonicTime) { sentAt = now }

  /// Notes that reading was stopped or continued.
  ///
  /// While reading is stopped, the broker's answers are not read either.
  package mutating func setReading(_ isReading: Bool, at now: MonotonicTime) {
    self.isReading = isReading
    progressed(at: now)
  }

  /// Notes that the broker takes bytes while its answers are not read.
  package mutating func progressed(at now: MonotonicTime) {
    receivedAt = now
    if isAccepted { answerBy = nil }
  }

  /// Notes bytes from the broker, and the packets that they complete.
  package mutating func received(
    _ packets: [MQTTPacket], byteCount: Int, at now: MonotonicTime
  ) -> [Action] {
    receivedAt = now
    pendingBytes += byteCount
    var actions: [Action] = []
    for packet in packets { actions += received(packet) }
    if let limit = settings.maxPendingBytes, pendingBytes > limit {
      let text = "the broker sent more than \(limit) bytes without a complete message"
      actions.append(.fail(MQTTFailure(text, wasTooLong: true)))
    }
    return actions
  }

  private mutating func received(_ packet: MQTTPacket) -> [Action] {
    // Several SUBACKs for one SUBSCRIBE are no progress.
    if case .suback = packet {} else { pendingBytes = 0 }
    guard isAccepted else {
      guard case .connack(let code, _) = packet else { return [] }
      guard code == 0 else {
        return [.fail(MQTTFailure(connackCode: code, names: settings.names))]
      }
      (isAccepted, answerBy) = (true, nil)
      guard !settings.filters.isEmpty else { return [.report(.accepted), .report(.subscribed)] }
      // A persistent session keeps its subscriptions; to subscribe again is harmless.
      let subscribe = MQTTPacket.subscribe(
        id: MQTTPacket.subscribeID, filters: settings.filters, qos: settings.qos)
      return [.send(subscribe), .report(.accepted)]
    }
    answerBy = nil
    switch packet {
    case .suback(_, let codes):
      guard codes.allSatisfy({ $0 <= 2 }) || !settings.needsSubscriptions else {
        return [.fail(MQTTFailure("the broker rejected a subscription"))]
      }
      return [.report(.subscribed)]
    case .puback(let id): return [.report(.acknowledged(id: id))]
    case .publish(let publish): return [.report(.message(publish))]
    default: return []
    }
  }

  /// Returns the actions that are due at ``nextAt``.
  package mutating func next(at now: MonotonicTime) -> [Action] {
    guard now >= nextAt else { return [] }
    if answerBy != nil {
      guard isReading || !isAccepted else {
        (answerBy, receivedAt) = (nil, now)
        return []
      }
      guard !hasExtension else { return [.fail(.silence)] }
      answerBy = now.advanced(bySeconds: Self.extensionSeconds)
      hasExtension = true
      return []
    }
    answerBy = now.advanced(bySeconds: pongSeconds)
    sentAt = now
    return [.send(.pingreq)]
  }
}
