// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Daemon

@Suite("Watchdog ping decisions")
struct WatchdogBeatTests {
  @Test func `a watchdog ping is due only if every part has responded since the last ping`() {
    var beat = WatchdogBeat(parts: ["broker", "pipeline"])
    beat.recordAnswer(from: "broker")
    #expect(beat.unresponsivePartsAtPing() == ["pipeline"])
    beat.recordAnswer(from: "pipeline")
    #expect(beat.unresponsivePartsAtPing() == [])
    // Each response applies to one ping only.
    #expect(beat.unresponsivePartsAtPing() == ["broker", "pipeline"])
  }

  @Test func `the watchdog ignores the response of an unknown part`() {
    var beat = WatchdogBeat(parts: ["pipeline"])
    beat.recordAnswer(from: "sink")
    #expect(beat.unresponsivePartsAtPing() == ["pipeline"])
  }

  @Test func `without parts, a watchdog ping is always due`() {
    var beat = WatchdogBeat(parts: [])
    #expect(beat.unresponsivePartsAtPing() == [])
    #expect(beat.unresponsivePartsAtPing() == [])
  }
}
