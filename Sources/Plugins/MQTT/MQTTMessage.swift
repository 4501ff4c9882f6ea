// SPDX-License-Identifier: Apache-2.0

internal import MQTTClient

/// A message for an MQTT broker, published with QoS 1.
struct MQTTMessage: Equatable, Sendable {
  let topic: String
  let payload: [UInt8]
  /// Whether the broker keeps the message for later subscribers.
  var isRetained = true
  /// Whether the message is left out if the broker does not accept its topic.
  var isOptional = false
  /// Smaller messages that replace this one if the broker does not accept its size.
  var parts: [MQTTMessage] = []

  /// Returns the PUBLISH; `nil` as the identifier for a will.
  func packet(id: UInt16?) -> MQTTPacket.Publish {
    .init(topic: topic, payload: payload, id: id, isRetained: isRetained)
  }
}
