// SPDX-License-Identifier: Apache-2.0

/// A change of a connection, or a packet of the broker.
package enum MQTTEvent: Equatable, Sendable {
  /// The connection is open, and CONNECT was sent.
  case opened
  /// The broker accepted the connection.
  case accepted
  /// The broker answered the subscriptions.
  case subscribed
  case acknowledged(id: UInt16)
  case message(MQTTPacket.Publish)
  /// The connection ended or could not be made; the last event.
  case ended(MQTTFailure)
}
