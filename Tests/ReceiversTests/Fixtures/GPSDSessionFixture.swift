// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning

@testable import Receivers

/// A gpsd session with a simulated clock and a simulated receiver.
struct GPSDSessionFixture {
  var session = GPSDSession(address: "test:2947", seed: 1)
  var now: Int64 = 1_000_000_000
  /// 2026-11-21T12:00:00Z.
  var utcNanoseconds: Int64 = 1_795_262_400_000_000_000
  private(set) var actions: [GPSDSession.Action] = []

  init(watching: Bool = false) {
    guard watching else { return }
    start()
    send(.connected)
    send(.report(.version(release: "3.22", protocolMajor: 3, protocolMinor: 14)))
  }

  var events: [FixSourceEvent] {
    actions.compactMap { if case .deliver(let event) = $0 { event } else { nil } }
  }
  var fixes: [Fix] { events.compactMap(\.fix) }

  func at(seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: now + Int64(seconds * 1e9))
  }

  @discardableResult
  mutating func start() -> [GPSDSession.Action] { record(session.start()) }

  @discardableResult
  mutating func send(_ event: GPSDSession.Event) -> [GPSDSession.Action] {
    record(session.handle(event, at: MonotonicTime(nanoseconds: now)))
  }

  /// Advances the clock and the receiver's time without ticks, as in a suspend.
  mutating func sleep(seconds: Double) {
    now += Int64(seconds * 1e9)
    utcNanoseconds += Int64(seconds * 1e9)
  }

  /// Advances the clock within an epoch, with ticks at the deadlines of the session.
  @discardableResult
  mutating func advance(milliseconds: Int64) -> [GPSDSession.Action] {
    let end = now + milliseconds * 1_000_000
    var newActions: [GPSDSession.Action] = []
    while let deadline = session.deadline?.nanoseconds, deadline <= end {
      now = max(now, deadline)
      newActions += send(.tick)
    }
    now = end
    return newActions
  }

  /// Advances the clock and the receiver's time, with ticks at the deadlines of the session.
  @discardableResult
  mutating func wait(seconds: Double) -> [GPSDSession.Action] {
    utcNanoseconds += Int64(seconds * 1e9)
    return advance(milliseconds: Int64(seconds * 1e3))
  }

  /// Advances to the next epoch.
  mutating func advanceEpoch(period: Double) {
    advance(milliseconds: Int64(period * 1e3))
    // Rounded to 10 ms, because `advance` does not advance the receiver's time within an epoch.
    utcNanoseconds += Int64(period * 1e9 + 5e6) / 10_000_000 * 10_000_000
  }

  /// Sends a number of epochs with one TPV each, as gpsd does after its start.
  mutating func sendEpochs(_ count: Int, period: Double = 1) {
    for _ in 0..<count {
      send(.report(.position(device: "/dev/a", tpv())))
      advanceEpoch(period: period)
    }
  }

  /// Makes a TPV with the current time of the receiver, or another time.
  func tpv(
    mode: FixMode = .threeDimensional, hasTime: Bool = true, latitude: Double = 48.1173,
    utcNanoseconds: Int64? = nil
  ) -> FixReport {
    var report = FixReport(kind: FixReport.gpsdKind)
    report.mode = mode
    report.hasSolution = mode > .none
    if mode > .none {
      report.coordinate = Coordinate.at(latitude, 11.5)
      report.speedMetersPerSecond = 0.5
    }
    if hasTime {
      let utc = utcNanoseconds ?? self.utcNanoseconds
      let time = UTCTime(secondsSince1970: utc / 1_000_000_000, nanosecond: UInt32(utc % 1_000_000_000))
      (report.date, report.timeOfDay) = (time.date, time.timeOfDay)
    }
    return report
  }

  private mutating func record(_ new: [GPSDSession.Action]) -> [GPSDSession.Action] {
    actions += new
    return new
  }
}
