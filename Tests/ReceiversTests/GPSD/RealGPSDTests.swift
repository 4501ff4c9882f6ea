// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// The gpsd source with the real gpsd, which reads a simulated receiver on a pseudo-terminal.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealGPSDTests {
  private static let gpsd = "/usr/sbin/gpsd"
  static let isInstalled = access(gpsd, X_OK) == 0

  @Test(.enabled(if: isInstalled, "needs gpsd: make test"))
  func `a fix from the real gpsd has a position, a device and a time`() async throws {
    let fixture = try RealGPSDFixture()
    try await fixture.use { source in
      try await fixture.withGPSD {
        // The first fixes of gpsd may have no time or no speed: it may begin to read within a cycle.
        @Sendable func isComplete(_ fix: Fix) -> Bool {
          fix.time != nil && fix.speedMetersPerSecond != nil && fix.mode == .threeDimensional
        }
        let events = await source.wait { $0.compactMap(\.fix).contains(where: isComplete) }
        let fix = try #require(events.compactMap(\.fix).first(where: isComplete))
        #expect(fix.source == fixture.devnode)
        let coordinate = try #require(fix.coordinate)
        #expect(abs(coordinate.latitudeDegrees - fixture.start.latitudeDegrees) < 0.01)
        await source.wait { $0.contains { ($0.sky?.satellites.count ?? 0) > 4 } }
      }
    }
  }

  @Test(.enabled(if: isInstalled, "needs gpsd: make test"))
  func `a heading sentence that the real gpsd reads is added to a fix`() async throws {
    let fixture = try RealGPSDFixture()
    try await fixture.use { source in
      try await fixture.withGPSD {
        // The sentence may arrive within another sentence of the receiver, so it is repeated.
        let compass = Task {
          while !Task.isCancelled {
            fixture.write("$GPHDT,23.4,T*00\r\n")
            try? await ContinuousClock().sleep(for: .milliseconds(70))
          }
        }
        let events = await source.wait { $0.contains { $0.fix?.headingDegreesTrue != nil } }
        compass.cancel()
        await compass.value
        let fix = try #require(events.compactMap(\.fix).last)
        #expect(fix.headingDegreesTrue == 23.4)
        #expect(fix.source == fixture.devnode)
      }
    }
  }

  @Test(.enabled(if: isInstalled, "needs gpsd: make test"))
  func `a source reports the loss of a killed gpsd, and delivers fixes after gpsd was restarted`() async throws {
    let fixture = try RealGPSDFixture()
    try await fixture.use { source in
      let before = try await fixture.withGPSD(endedBy: SIGKILL) {
        await source.wait { $0.contains { $0.fix?.mode == .threeDimensional } }.count
      }
      let lost = await source.wait { $0.dropFirst(before).contains { $0.loss != nil } }
      let loss = try #require(lost.dropFirst(before).compactMap(\.loss).first)
      #expect(loss.reason == .disconnected)
      try await fixture.withGPSD {
        let events = await source.wait { events in
          events.lastIndex { $0.loss != nil }.map { index in
            // The first fix of gpsd may have no time.
            events[index...].contains { $0.fix?.mode == .threeDimensional && $0.fix?.time != nil }
          } ?? false
        }
        try Self.expectNoOldFix(events, fixture)
      }
    }
  }

  enum End: String, CaseIterable, CustomTestStringConvertible {
    case silence
    case hangUp
    var testDescription: String { rawValue }
  }

  @Test(.enabled(if: isInstalled, "needs gpsd: make test"), arguments: End.allCases)
  func `a silent or unplugged receiver of gpsd is lost, and no old fix is delivered afterwards`(end: End) async throws {
    let fixture = try RealGPSDFixture()
    try await fixture.use { source in
      try await fixture.withGPSD {
        await source.wait { $0.count { $0.fix?.mode == .threeDimensional } >= 10 }
        await fixture.stopReceiver()
        if end == .hangUp { fixture.hangUp() }
        let events = await source.wait { $0.last?.loss != nil }
        let loss = try #require(events.last?.loss)
        #expect([.silent, .deactivated].contains(loss.reason))
        // After a silent receiver returns, fixes buffered by gpsd must not be delivered.
        guard end == .silence else { return }
        try fixture.startReceiver()
        let after = await source.wait { events in
          events.lastIndex { $0.loss != nil }.map { index in
            events[index...].count { $0.fix?.mode == .threeDimensional } >= 3
          } ?? false
        }
        try Self.expectNoOldFix(after, fixture)
        let index = try #require(after.lastIndex { $0.loss != nil })
        let times = after[index...].compactMap(\.fix?.time)
        #expect(times.allSatisfy { fixture.receiverIndex(at: $0) == 1 }, "\(times)")
      }
    }
  }

  @Test(.enabled(if: isInstalled, "needs gpsd: make test"))
  func `fixes are correct although gpsd writes to the receiver, which is gpsd's default`() async throws {
    // gpsd is silent for seconds while it detects the baud rate, so allow a long silence.
    let fixture = try RealGPSDFixture(silence: .seconds(60))
    try await fixture.use { source in
      try await fixture.withGPSD(options: []) {
        let events = await source.wait {
          $0.count { $0.fix?.mode == .threeDimensional && $0.fix?.time != nil } >= 30
        }
        // The test proves nothing unless gpsd has written to the receiver.
        #expect(fixture.writtenByteCount > 0)
        for fix in events.compactMap(\.fix) where fix.mode > .none {
          guard let time = fix.time else { continue }
          let expected = try #require(fixture.simulatedEpoch(at: time), "\(time)")
          let coordinate = try #require(fix.coordinate)
          let off = coordinate.distanceMeters(to: expected.coordinate)
          #expect(off <= expected.horizontalErrorBoundMeters + 0.1, "\(off) m")
        }
        try Self.expectNoOldFix(events, fixture)
        #expect(events.compactMap(\.loss).allSatisfy { $0.reason == .unreachable })
      }
    }
  }

  @Test(.enabled(if: isInstalled, "needs gpsd: make test"))
  func `a source connects to a real gpsd that starts later`() async throws {
    let fixture = try RealGPSDFixture()
    try await fixture.use { source in
      await source.wait { $0.contains { $0.loss?.reason == .unreachable } }
      try await fixture.withGPSD {
        let events = await source.wait { $0.contains { $0.fix?.mode == .threeDimensional } }
        let fix = try #require(events.compactMap(\.fix).first { $0.mode == .threeDimensional })
        #expect(fix.source == fixture.devnode)
      }
    }
  }

  /// Checks that the times of the fixes increase and that fixes are delivered without delay.
  ///
  /// Checks the median delay: a busy machine may delay single fixes, but a queue would delay all.
  private static func expectNoOldFix(_ events: [FixSourceEvent], _ fixture: RealGPSDFixture) throws {
    let times = events.compactMap(\.fix?.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let delays = try events.compactMap(\.fix).compactMap { fix -> Double? in
      guard let time = fix.time else { return nil }
      let sent = try #require(fixture.sendingTime(of: time), "\(time) is not the time of an epoch")
      return try #require(fix.receivedAt).seconds(since: sent)
    }
    .sorted()
    #expect(try #require(delays.dropFirst(delays.count / 2).first) < 1.5, "\(delays)")
  }
}
