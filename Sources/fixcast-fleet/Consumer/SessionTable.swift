// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTClient
internal import Synchronization

/// The open MQTT connections of the shards that this consumer serves.
final class SessionTable: Sendable {
  private struct Session {
    var number: Int
    var connection: MQTTConnection
    var isSubscribed = false
    var isReading = true
  }

  private struct State {
    var sessions: [FleetShard: Session] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// The shards whose subscriptions are active.
  var subscribedShards: [FleetShard] {
    state.withLock { $0.sessions.filter(\.value.isSubscribed).map(\.key) }
  }

  /// Returns the number of the next connection.
  func nextNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  func add(_ shard: FleetShard, _ number: Int, _ connection: MQTTConnection) {
    state.withLock { $0.sessions[shard] = Session(number: number, connection: connection) }
  }

  func setSubscribed(_ shard: FleetShard) {
    state.withLock { $0.sessions[shard]?.isSubscribed = true }
  }

  /// Closes a connection after a message was dropped, so that the broker sends its messages without
  /// PUBACK again.
  func close(_ shard: FleetShard) {
    let reason = MQTTFailure("closed the connection, because the queue is full")
    state.withLock { $0.sessions[shard]?.connection }?.close(reason: reason)
  }

  /// Removes a connection, unless a later one serves the shard.
  func remove(_ shard: FleetShard, _ number: Int) {
    state.withLock { state in
      if state.sessions[shard]?.number == number { state.sessions[shard] = nil }
    }
  }

  /// Sends the PUBACK of each message whose connection is still open.
  func acknowledge(_ deliveries: [Delivery]) {
    for (shard, group) in Dictionary(grouping: deliveries, by: \.shard) {
      guard let session = state.withLock({ $0.sessions[shard] }) else { continue }
      let packets = group.compactMap { delivery in
        delivery.connection == session.number
          ? delivery.packetID.map { MQTTPacket.puback(id: $0) } : nil
      }
      if !packets.isEmpty { session.connection.send(packets) }
    }
  }

  /// Publishes acknowledgements of boards with QoS 0: a board that misses one sends again.
  func publish(_ messages: [(topic: FleetTopic, payload: [UInt8])]) {
    for (shard, group) in Dictionary(grouping: messages, by: \.topic.shard) {
      let connection = state.withLock { $0.sessions[shard]?.connection }
      connection?.send(
        group.map { .publish(.init(topic: $0.topic.description, payload: $0.payload)) })
    }
  }

  /// Stops or continues reading from all connections.
  func setReading(_ isReading: Bool) {
    let connections = state.withLock { state in
      state.sessions.filter { $0.value.isReading != isReading }.map { shard, session in
        state.sessions[shard]?.isReading = isReading
        return session.connection
      }
    }
    for connection in connections { connection.setReading(isReading) }
  }
}
