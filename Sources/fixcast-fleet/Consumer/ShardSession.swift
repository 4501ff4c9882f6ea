// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import Logging
internal import MQTTClient
internal import Positioning
internal import SystemSupport

/// The MQTT session of one shard, which connects again until it is cancelled.
///
/// The session is persistent: while no consumer is connected, the broker keeps the messages.
struct ShardSession: Sendable {
  let shard: FleetShard
  let broker: BrokerSettings
  let queue: PendingDeliveries
  let sessions: SessionTable
  let logger: Logger

  func run() async {
    let filters = [FleetTopic.Kind.fix, .status].map { FleetTopic.filter($0, shard: shard) }
    await BrokerLoop(broker: broker, suffix: "\(shard)", filters: filters, logger: logger).run {
      let number = sessions.nextNumber()
      return BrokerLoop.Handlers(
        received: { connection, event in
          switch event {
          case .accepted: sessions.add(shard, number, connection)
          case .subscribed: sessions.setSubscribed(shard)
          case .message(let publish): receive(publish, number)
          case .opened, .acknowledged, .ended: break
          }
        },
        closed: { sessions.remove(shard, number) })
    }
  }

  private func receive(_ publish: MQTTPacket.Publish, _ connection: Int) {
    let now = SystemClock.utcNow()
    let delivery = Delivery(
      shard: shard, topic: publish.topic, payload: publish.payload, packetID: publish.id,
      connection: connection, isRetained: publish.isRetained,
      arrivalMilliseconds: now.secondsSince1970 * 1000 + Int64(now.nanosecond / 1_000_000))
    switch queue.add(delivery) {
    case .added: break
    case .addedAboveHalf: sessions.setReading(false)
    case .dropped: sessions.close(shard)
    }
  }
}
