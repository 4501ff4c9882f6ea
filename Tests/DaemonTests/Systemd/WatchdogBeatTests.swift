// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("When a service may say that it is alive")
struct WatchdogBeatTests {
  @Test("only when every part has answered since the last time")
  func every() {
    var beat = WatchdogBeat(parts: ["broker", "pipeline"])
    beat.recordAnswer(from: "broker")
    #expect(beat.due() == ["pipeline"])
    beat.recordAnswer(from: "pipeline")
    #expect(beat.due() == [])
    // An answer counts once.
    #expect(beat.due() == ["broker", "pipeline"])
  }

  @Test("the word of a part that nobody asked for counts for nothing")
  func stranger() {
    var beat = WatchdogBeat(parts: ["pipeline"])
    beat.recordAnswer(from: "sink")
    #expect(beat.due() == ["pipeline"])
  }

  @Test("a service without parts is always alive")
  func none() {
    var beat = WatchdogBeat(parts: [])
    #expect(beat.due() == [])
    #expect(beat.due() == [])
  }
}
