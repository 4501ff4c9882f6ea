// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Testing

@testable import Receivers

/// The source with the real gpsd, on a pseudo-terminal that a simulated receiver feeds.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealGPSDTests {
  private static let gpsd = "/usr/sbin/gpsd"
  static let isInstalled = access(gpsd, X_OK) == 0

  @Test(
    "has a fix with place, device and time",
    .enabled(if: isInstalled, "needs gpsd: make test"))
  func fixes() async throws {
    let bench = try RealBench()
    try await bench.use { source in
      try await bench.withGPSD {
        let events = await source.wait {
          $0.contains { $0.fix?.time != nil && $0.fix?.mode == .threeDimensional }
        }
        // gpsd's very first may come without a time, and then does here.
        let fix = try #require(
          events.compactMap(\.fix).first { $0.time != nil && $0.mode == .threeDimensional })
        #expect(fix.source == bench.devnode)
        #expect(fix.time != nil)
        #expect(fix.speedMetersPerSecond != nil)
        let coordinate = try #require(fix.coordinate)
        #expect(abs(coordinate.latitudeDegrees - bench.start.latitudeDegrees) < 0.01)
        await source.wait { $0.contains { ($0.sky?.satellites.count ?? 0) > 4 } }
      }
    }
  }

  @Test(
    "is told of a gpsd that was killed, and has fixes of the next one",
    .enabled(if: isInstalled, "needs gpsd: make test"))
  func survivesRestart() async throws {
    let bench = try RealBench()
    try await bench.use { source in
      let before = try await bench.withGPSD(endedBy: SIGKILL) {
        await source.wait { $0.contains { $0.fix?.mode == .threeDimensional } }.count
      }
      let lost = await source.wait { $0.dropFirst(before).contains { $0.loss != nil } }
      let loss = try #require(lost.dropFirst(before).compactMap(\.loss).first)
      #expect(loss.reason == .disconnected)
      try await bench.withGPSD {
        let events = await source.wait { events in
          events.lastIndex { $0.loss != nil }.map { index in
            // gpsd's very first may come without a time.
            events[index...].contains { $0.fix?.mode == .threeDimensional && $0.fix?.time != nil }
          } ?? false
        }
        try Self.expectNothingOld(events, bench)
      }
    }
  }

  enum End: String, CaseIterable, CustomTestStringConvertible {
    case mute
    case hangUp
    var testDescription: String { rawValue }
  }

  @Test(
    "calls a receiver lost that is muted or unplugged, and gives out nothing of before",
    .enabled(if: isInstalled, "needs gpsd: make test"), arguments: End.allCases)
  func noticesSilence(end: End) async throws {
    let bench = try RealBench()
    try await bench.use { source in
      try await bench.withGPSD {
        await source.wait { $0.count { $0.fix?.mode == .threeDimensional } >= 10 }
        await bench.stopReceiver()
        if end == .hangUp { bench.hangUp() }
        let events = await source.wait { $0.last?.loss != nil }
        let loss = try #require(events.last?.loss)
        #expect([.silent, .deactivated].contains(loss.reason))
        // And speaks again: what gpsd kept meanwhile, if it kept anything, is not delivered.
        guard end == .mute else { return }
        try bench.startReceiver()
        let after = await source.wait { events in
          events.lastIndex { $0.loss != nil }.map { index in
            events[index...].count { $0.fix?.mode == .threeDimensional } >= 3
          } ?? false
        }
        try Self.expectNothingOld(after, bench)
        let index = try #require(after.lastIndex { $0.loss != nil })
        let times = after[index...].compactMap(\.fix?.time)
        #expect(times.allSatisfy { bench.receiverIndex(at: $0) == 1 }, "\(times)")
      }
    }
  }

  @Test(
    "is right with a gpsd that writes to the receiver, as gpsd does unless told not to",
    .enabled(if: isInstalled, "needs gpsd: make test"))
  func survivesProbes() async throws {
    // A gpsd that looks for a receiver's speed says nothing for seconds, which is not the point.
    let bench = try RealBench(silence: .seconds(60))
    try await bench.use { source in
      try await bench.withGPSD(options: []) {
        let events = await source.wait {
          $0.count { $0.fix?.mode == .threeDimensional && $0.fix?.time != nil } >= 30
        }
        // Else there was nothing to be survived.
        #expect(bench.writtenByteCount > 0)
        for fix in events.compactMap(\.fix) where fix.mode > .none {
          guard let time = fix.time else { continue }
          let truth = try #require(bench.truth(at: time), "\(time)")
          let coordinate = try #require(fix.coordinate)
          let off = coordinate.distanceMeters(to: truth.coordinate)
          #expect(off <= truth.horizontalErrorBoundMeters + 0.1, "\(off) m")
        }
        try Self.expectNothingOld(events, bench)
        #expect(events.compactMap(\.loss).allSatisfy { $0.reason == .unreachable })
      }
    }
  }

  @Test(
    "finds a gpsd that is started after it", .enabled(if: isInstalled, "needs gpsd: make test"))
  func findsLateGPSD() async throws {
    let bench = try RealBench()
    try await bench.use { source in
      await source.wait { $0.contains { $0.loss?.reason == .unreachable } }
      try await bench.withGPSD {
        let events = await source.wait { $0.contains { $0.fix?.mode == .threeDimensional } }
        let fix = try #require(events.compactMap(\.fix).first { $0.mode == .threeDimensional })
        #expect(fix.source == bench.devnode)
      }
    }
  }

  /// No fix is about an earlier time than one delivered before it, and they come as they are sent.
  ///
  /// The usual one does: a busy machine may be late with any of them, a queue with all.
  private static func expectNothingOld(_ events: [FixSourceEvent], _ bench: RealBench) throws {
    let times = events.compactMap(\.fix?.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let delays = try events.compactMap(\.fix).compactMap { fix -> Double? in
      guard let time = fix.time else { return nil }
      let sent = try #require(bench.sendingTime(of: time), "\(time) is no epoch's")
      return try #require(fix.receivedAt).seconds(since: sent)
    }
    .sorted()
    #expect(try #require(delays.dropFirst(delays.count / 2).first) < 1.5, "\(delays)")
  }
}
