// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Positioning

/// A message from the broker that waits for its transaction.
struct Delivery: Equatable, Sendable {
  var shard: FleetShard
  var topic: String
  var payload: [UInt8]
  /// The identifier for the PUBACK; `nil` for QoS 0.
  var packetID: UInt16?
  /// The number of the MQTT connection, in which the identifier is valid.
  var connection: Int
  /// Whether the broker kept the message for later subscribers, so that its age is unknown.
  var isRetained = false
  /// The Unix time of the arrival in milliseconds.
  var arrivalMilliseconds: Int64
}
