// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTPackets
internal import Synchronization
internal import WeatherClient

/// Sends reports to the boards of their cells, each report once for each board.
final class WeatherPublisher: Sendable {
  private struct State {
    var channel: MQTTChannel?
    /// The arrival of the last report that was sent to a board, in Unix seconds.
    var sent: [FleetBoardID: Int64] = [:]
    var lastPacketID: UInt16 = 0
  }

  private let state = Mutex(State())

  /// The handlers for one connection.
  var handlers: BrokerLoop.Handlers {
    BrokerLoop.Handlers(
      opened: { channel in self.state.withLock { $0.channel = channel } }, received: { _ in },
      closed: { self.state.withLock { $0.channel = nil } })
  }

  /// Publishes the reports that boards have not received; returns the number of messages.
  ///
  /// QoS 1, so that the broker keeps the report for a board that is offline for a moment.
  func publish(
    _ reports: [WeatherCell: StoredWeather], to boards: [FleetWeather.Board], now: Int64
  ) -> Int {
    state.withLock { state in
      guard let channel = state.channel else { return 0 }
      let present = Set(boards.map(\.id))
      state.sent = state.sent.filter { present.contains($0.key) }
      var packets: [MQTTPacket] = []
      for board in boards {
        guard let stored = reports[board.cell], state.sent[board.id] != stored.receivedSeconds
        else { continue }
        let message = FleetWeatherMessage(
          stored.report, ageSeconds: max(now - stored.receivedSeconds, 0))
        state.lastPacketID = state.lastPacketID == .max ? 1 : state.lastPacketID + 1
        packets.append(
          .publish(
            .init(
              topic: FleetTopic(.weather, board.id, shard: board.shard).description,
              payload: message.json, id: state.lastPacketID)))
        state.sent[board.id] = stored.receivedSeconds
      }
      if !packets.isEmpty { channel.send(packets) }
      return packets.count
    }
  }
}
