// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Watchdog ping decisions")
struct WatchdogBeatTests {
  @Test("a watchdog ping is due only if every part has responded since the last ping")
  func every() {
    var beat = WatchdogBeat(parts: ["broker", "pipeline"])
    beat.recordAnswer(from: "broker")
    #expect(beat.unresponsivePartsAtPing() == ["pipeline"])
    beat.recordAnswer(from: "pipeline")
    #expect(beat.unresponsivePartsAtPing() == [])
    // Each response applies to one ping only.
    #expect(beat.unresponsivePartsAtPing() == ["broker", "pipeline"])
  }

  @Test("the watchdog ignores the response of an unknown part")
  func unknownPart() {
    var beat = WatchdogBeat(parts: ["pipeline"])
    beat.recordAnswer(from: "sink")
    #expect(beat.unresponsivePartsAtPing() == ["pipeline"])
  }

  @Test("without parts, a watchdog ping is always due")
  func none() {
    var beat = WatchdogBeat(parts: [])
    #expect(beat.unresponsivePartsAtPing() == [])
    #expect(beat.unresponsivePartsAtPing() == [])
  }
}
