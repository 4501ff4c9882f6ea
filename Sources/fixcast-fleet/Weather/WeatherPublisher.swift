// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import MQTTClient
internal import Synchronization
internal import WeatherClient

/// Sends reports to the boards of their cells, each report once for each board.
final class WeatherPublisher: Sendable {
  /// The maximum number of messages at once, which limits the memory for a large fleet.
  private static let maxCount = 500

  private struct State {
    /// The connection that the broker has accepted.
    var connection: MQTTConnection?
    /// The arrival of the last report that was sent to a board, in Unix seconds.
    var sent: [FleetBoardID: Int64] = [:]
    var lastPacketID: UInt16 = 0
  }

  private let state = Mutex(State())

  /// Returns the handlers for one connection.
  ///
  /// After a lost connection, all reports are sent again, because some may not have arrived.
  func makeHandlers() -> BrokerLoop.Handlers {
    BrokerLoop.Handlers(
      received: { connection, event in
        guard case .accepted = event else { return }
        self.state.withLock { $0.connection = connection }
      },
      closed: { self.state.withLock { ($0.connection, $0.sent) = (nil, [:]) } })
  }

  /// Publishes reports that boards have not received; returns the number of messages.
  ///
  /// The messages have QoS 1, so that the broker keeps the report for a board that is offline for a
  /// moment. Boards beyond ``maxCount`` get their reports with the next call.
  func publish(
    _ reports: [WeatherCell: StoredWeather], to boards: [FleetWeather.Board], now: Int64
  ) -> Int {
    state.withLock { state in
      guard let connection = state.connection else { return 0 }
      let present = Set(boards.map(\.id))
      state.sent = state.sent.filter { present.contains($0.key) }
      let due = boards.filter { board in
        reports[board.cell].map { state.sent[board.id] != $0.receivedSeconds } ?? false
      }
      var payloads: [WeatherCell: [UInt8]] = [:]
      var packets: [MQTTPacket] = []
      for board in due.prefix(Self.maxCount) {
        guard let stored = reports[board.cell] else { continue }
        let payload =
          payloads[board.cell]
          ?? FleetWeatherMessage(
            stored.report, ageSeconds: max(now - stored.receivedSeconds, 0)
          ).json
        payloads[board.cell] = payload
        state.lastPacketID = state.lastPacketID == .max ? 1 : state.lastPacketID + 1
        packets.append(
          .publish(
            .init(
              topic: FleetTopic(.weather, board.id, shard: board.shard).description,
              payload: payload, id: state.lastPacketID)))
        state.sent[board.id] = stored.receivedSeconds
      }
      if !packets.isEmpty { connection.send(packets) }
      return packets.count
    }
  }
}
