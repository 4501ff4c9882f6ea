// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Watchdog ping decisions")
struct WatchdogBeatTests {
  @Test("a watchdog ping is due only if every part has responded since the last ping")
  func every() {
    var beat = WatchdogBeat(parts: ["broker", "pipeline"])
    beat.recordAnswer(from: "broker")
    #expect(beat.due() == ["pipeline"])
    beat.recordAnswer(from: "pipeline")
    #expect(beat.due() == [])
    // Each response applies to one ping only.
    #expect(beat.due() == ["broker", "pipeline"])
  }

  @Test("the watchdog ignores the response of an unknown part")
  func unknownPart() {
    var beat = WatchdogBeat(parts: ["pipeline"])
    beat.recordAnswer(from: "sink")
    #expect(beat.due() == ["pipeline"])
  }

  @Test("without parts, a watchdog ping is always due")
  func none() {
    var beat = WatchdogBeat(parts: [])
    #expect(beat.due() == [])
    #expect(beat.due() == [])
  }
}
