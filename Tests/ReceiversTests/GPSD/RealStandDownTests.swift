// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Handling of a port that the real gpsd reads.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: RealGPSDTests.isInstalled, "needs gpsd: make test"))
struct RealStandDownTests {
  @Test func `a port that gpsd has open is not opened, and the error names gpsd and a remedy`() async throws {
    let fixture = try RealGPSDFixture()
    try fixture.startReceiver()
    try await fixture.withGPSD {
      try await fixture.waitForPosition()
      let error = #expect(throws: SerialError.self) {
        try SerialPort(devnode: fixture.devnode, baud: nil)
      }
      guard case .busy(let holders)? = error?.kind else {
        throw ExpectationError("\(String(describing: error))")
      }
      #expect(holders.map(\.program) == ["gpsd"])
      #expect(error?.description.contains("gpsd (pid ") == true)
      #expect(error?.description.contains("use --source gpsd") == true)
    }
    await fixture.stopReceiver()
  }

  /// Makes a group that uses the given discovery events and the gpsd of the fixture.
  private static func group(on fixture: RealGPSDFixture, _ discovery: AsyncStream<DiscoveryEvent>) -> SourceGroup {
    var environment = SourceEnvironment()
    environment.localGPSD = fixture.source.address
    environment.gpsdConfiguration = { GPSDConfiguration() }
    environment.discover = { _, deliver in for await event in discovery { deliver(event) } }
    return SourceGroup([.pluggedIn], environment: environment)
  }

  @Test
  func `a receiver is read through gpsd while gpsd is running, and directly after gpsd has exited`() async throws {
    let fixture = try RealGPSDFixture()
    let (discovery, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = Self.group(on: fixture, discovery)
    let events = EventRecorder<FixSourceEvent>()
    try fixture.startReceiver()
    let running = Task {
      try await fixture.withGPSD {
        try await fixture.waitForPosition()
        device.yield(.found(.plugged("theirs", devnode: fixture.devnode)))
        let running = Task { try await group.run { events.record($0) } }
        await events.wait { $0.count { $0.fix?.mode == .threeDimensional } >= 5 }
        return running
      }
    }
    let groupRunning = try await running.value
    #expect(group.counters.bytes == 0, "the group must not have read the port directly")
    await events.wait { $0.contains { $0.loss != nil } }
    let all = await events.wait { events in
      events.lastIndex { $0.loss != nil }.map { index in
        events[index...].contains { $0.fix?.mode == .threeDimensional }
      } ?? false
    }
    #expect(group.counters.bytes > 0, "the group must have read the port directly")
    #expect(Set(all.compactMap(\.fix?.source)) == [fixture.devnode])
    let times = all.compactMap(\.fix?.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    groupRunning.cancel()
    try await groupRunning.value
    await fixture.stopReceiver()
  }

  @Test func `an unplugged receiver of gpsd is reported as lost, and no further position is delivered`() async throws {
    let fixture = try RealGPSDFixture()
    let (discovery, device) = AsyncStream.makeStream(of: DiscoveryEvent.self)
    let group = Self.group(on: fixture, discovery)
    let events = EventRecorder<FixSourceEvent>()
    try fixture.startReceiver()
    let receiver = DiscoveredReceiver.plugged("theirs", devnode: fixture.devnode)
    try await fixture.withGPSD {
      try await fixture.waitForPosition()
      device.yield(.found(receiver))
      let running = Task { try await group.run { events.record($0) } }
      await events.wait { $0.count { $0.fix?.mode == .threeDimensional } >= 5 }
      fixture.hangUp()
      device.yield(.gone(receiver))
      let all = await events.wait { $0.contains { $0.loss != nil } }
      let loss = all.compactMap(\.loss).last
      #expect(loss?.reason == .deactivated)
      #expect(loss?.receiver == fixture.devnode)
      running.cancel()
      try await running.value
      // A last report without a position may arrive before the loss.
      let everything = events.events
      let lostAt = try #require(everything.firstIndex { $0.loss != nil })
      let positions = everything[lostAt...].compactMap(\.fix?.coordinate)
      #expect(positions.isEmpty, "\(everything.map(\.kind))")
    }
    await fixture.stopReceiver()
  }
}
