// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import MQTTClient

@Suite("Protocol of an MQTT connection")
struct MQTTConnectionStateTests {
  private static let connack = MQTTPacket.connack(code: 0, isSessionPresent: false)

  private static func state(
    _ change: (inout MQTTConnectionState.Settings) -> Void = { _ in }
  ) -> MQTTConnectionState {
    var settings = MQTTConnectionState.Settings(
      connect: .init(clientID: "c", keepAliveSeconds: 20))
    change(&settings)
    return MQTTConnectionState(settings, now: .at(0))
  }

  /// Returns a connection that the broker accepted after a second.
  private static func accepted(
    _ change: (inout MQTTConnectionState.Settings) -> Void = { _ in }
  ) -> MQTTConnectionState {
    var state = state(change)
    _ = state.opened(at: .at(0))
    _ = state.received([connack], byteCount: 4, at: .at(1))
    return state
  }

  @Test func `CONNECT is the first packet, and the subscriptions follow its CONNACK`() {
    var state = Self.state { ($0.filters, $0.qos) = (["a"], 0) }
    #expect(
      state.opened(at: .at(0)) == [
        .send(.connect(.init(clientID: "c", keepAliveSeconds: 20))), .report(.opened),
      ])
    // A message before the CONNACK is not processed.
    #expect(state.received([.publish(.init(topic: "a", payload: []))], byteCount: 5, at: .at(1)).isEmpty)
    #expect(
      state.received([Self.connack], byteCount: 4, at: .at(1)) == [
        .send(.subscribe(id: .max, filters: ["a"], qos: 0)), .report(.accepted),
      ])
    #expect(
      state.received(
        [.suback(id: .max, codes: [128]), .puback(id: 7)], byteCount: 9, at: .at(2))
        == [.report(.subscribed), .report(.acknowledged(id: 7))])
    var without = Self.state()
    #expect(
      without.received([Self.connack], byteCount: 4, at: .at(0))
        == [.report(.accepted), .report(.subscribed)])
  }

  @Test func `a rejected connection or a needed subscription that is rejected is a failure`() {
    var state = Self.state { $0.names = .options }
    _ = state.opened(at: .at(0))
    #expect(
      state.received([.connack(code: 2, isSessionPresent: false)], byteCount: 4, at: .at(1))
        == [.fail(MQTTFailure("the broker rejected the client id; set --client-id-prefix"))])
    #expect(MQTTFailure(connackCode: 2, names: .simulation).text == "the broker rejected the client id")
    var needed = Self.accepted { ($0.filters, $0.needsSubscriptions) = (["a"], true) }
    #expect(
      needed.received([.suback(id: .max, codes: [1, 128])], byteCount: 6, at: .at(2))
        == [.fail(MQTTFailure("the broker rejected a subscription"))])
  }

  @Test func `a broker has 20 seconds for its CONNACK`() {
    var state = Self.state()
    _ = state.opened(at: .at(5))
    #expect(state.nextAt == .at(25))
    #expect(state.next(at: .at(24)).isEmpty)
    #expect(state.next(at: .at(25)).isEmpty)
    #expect(state.next(at: .at(26)) == [.fail(.silence)])
  }

  @Test func `a connection without packets in one direction is tested before the keepalive ends`() {
    var state = Self.accepted()
    #expect(state.nextAt == .at(15))
    state.sent(at: .at(14))
    // Nothing was received since the CONNACK.
    #expect(state.nextAt == .at(16))
    #expect(state.next(at: .at(16)) == [.send(.pingreq)])
    #expect(state.received([.pingresp], byteCount: 2, at: .at(17)).isEmpty)
    _ = state.received([.puback(id: 1)], byteCount: 4, at: .at(30))
    // Nothing was sent since the PINGREQ.
    #expect(state.next(at: .at(31)) == [.send(.pingreq)])
    #expect(state.nextAt == .at(41))
    #expect(state.next(at: .at(41)).isEmpty)
    #expect(state.next(at: .at(42)) == [.fail(.silence)])
  }

  @Test func `a broker whose answers are not read is not silent`() {
    var state = Self.accepted()
    state.setReading(false, at: .at(2))
    var pings = 0
    for second in 3...100 {
      let actions = state.next(at: .at(second))
      #expect(actions == [] || actions == [.send(.pingreq)])
      pings += actions.count
    }
    #expect(pings >= 3)
    state.setReading(true, at: .at(100))
    #expect(state.next(at: .at(115)) == [.send(.pingreq)])
    #expect(state.next(at: .at(125)).isEmpty)
    #expect(state.next(at: .at(126)) == [.fail(.silence)])
  }

  @Test func `a broker that takes bytes while its answers are not read is not silent`() {
    var state = Self.accepted()
    #expect(state.next(at: .at(16)) == [.send(.pingreq)])
    state.progressed(at: .at(25))
    // The limit of the PINGREQ is over.
    #expect(state.next(at: .at(26)).isEmpty)
    #expect(state.next(at: .at(40)) == [.send(.pingreq)])
    #expect(state.next(at: .at(50)).isEmpty)
    #expect(state.next(at: .at(51)) == [.fail(.silence)])
    // Before the CONNACK, a broker that takes CONNECT has not answered.
    var new = Self.state()
    _ = new.opened(at: .at(0))
    new.progressed(at: .at(1))
    #expect(new.next(at: .at(20)).isEmpty)
    #expect(new.next(at: .at(21)) == [.fail(.silence)])
  }

  @Test func `bytes without a message beyond the limit end the connection`() {
    var state = Self.accepted { $0.maxPendingBytes = 100 }
    #expect(state.received([.pingresp], byteCount: 90, at: .at(2)).isEmpty)
    #expect(state.received([], byteCount: 100, at: .at(3)).isEmpty)
    let failure = MQTTFailure(
      "the broker sent more than 100 bytes without a complete message", wasTooLong: true)
    #expect(
      state.received([.suback(id: 1, codes: [0])], byteCount: 5, at: .at(4))
        == [.report(.subscribed), .fail(failure)])
  }

  @Test func `an identifier is used again only when its message is acknowledged and all others were used`() {
    var flights = MQTTFlights<Int>(window: 2)
    #expect(flights.add(10, at: .at(1)) == 1 && flights.firstID == 1 && flights.hasRoom)
    #expect(flights.add(20, at: .at(2)) == 2 && !flights.hasRoom && flights.oldestAt == .at(1))
    #expect(flights.remove(2)?.value == 20)
    #expect(flights.remove(2) == nil && flights.remove(0) == nil)
    var seen: Set<UInt16> = []
    for number in 0..<70_000 {
      let id = flights.add(number, at: .at(3))
      #expect(id != 0 && id != 1 && id != MQTTPacket.subscribeID)
      seen.insert(id)
      #expect(flights.remove(id)?.value == number)
    }
    #expect(seen.count == 65_533)
    flights.removeAll()
    #expect(flights.isEmpty && flights.oldestAt == nil)
  }

  @Test func `an answer that arrived while the loop was busy is read before the connection fails`() {
    var state = Self.accepted()
    #expect(state.next(at: .at(16)) == [.send(.pingreq)])
    // The loop runs the timer long after the deadline, before it reads.
    #expect(state.next(at: .at(60)).isEmpty && state.nextAt == .at(61))
    #expect(state.received([.pingresp], byteCount: 2, at: .at(60.1)).isEmpty)
    // The next PINGREQ has a deadline and an extension of its own.
    #expect(state.next(at: .at(61)) == [.send(.pingreq)])
    #expect(state.next(at: .at(71)).isEmpty)
    #expect(state.next(at: .at(72)) == [.fail(.silence)])
  }
}
