// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import MQTTClient
import Positioning
import Testing

@testable import Plugins

@Suite("MQTT takeover")
struct MQTTTakeoverTests {
  @Test func `a second client is one whose message arrives, and for which the broker closes connections`() {
    let closed = MQTTFailure("the broker closed the connection", wasClosed: true)
    let refused = MQTTFailure("Connection refused")
    var takeover = MQTTTakeover()
    func lose(_ failure: MQTTFailure, connectedAt: Double?, at now: Double) -> MQTTFailure {
      if let connectedAt { takeover.connected(now: .at(connectedAt)) }
      return takeover.failure(failure, clientID: "van", now: .at(now))
    }
    #expect(lose(closed, connectedAt: 0, at: 1) == closed)
    #expect(lose(closed, connectedAt: 2, at: 3) == closed)
    // A broker that restarts refuses connections for a while.
    #expect(lose(refused, connectedAt: nil, at: 4) == refused)
    #expect(lose(closed, connectedAt: 5, at: 6) == closed)
    #expect(lose(closed, connectedAt: 7, at: 8) == closed)
    // A bad network closes connections, too.
    for start in [9.0, 11, 13] {
      #expect(lose(closed, connectedAt: start, at: start + 1) == closed)
    }
    takeover.receivedForeignMessage()
    let failure = lose(closed, connectedAt: 15, at: 16)
    #expect(failure.isRejection && failure.text.contains("the id van"))
    // A connection of more than a minute begins another series.
    takeover.receivedForeignMessage()
    for start in [20.0, 30, 100, 200, 300] {
      let end = start == 100 ? start + 90 : start + 1
      #expect(lose(closed, connectedAt: start, at: end) == closed)
    }
  }
}
