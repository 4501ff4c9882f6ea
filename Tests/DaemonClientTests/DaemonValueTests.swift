// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import DaemonServer
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("Values that clients get from the daemon", .serialized, .timeLimit(.minutes(5)))
struct DaemonValueTests {
  @Test func `a location manager gets headings, and errors of speed and course, from a running daemon`() async throws {
    let board = try await BoardFixture.serving(.always)
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    manager.startUpdatingHeading()
    #expect(!manager.headingAvailable)
    var fix = BoardFixture.fix()
    fix.headingDegreesTrue = 341.8
    fix.headingDegreesMagnetic = 338.6
    (fix.rollDegrees, fix.pitchDegrees) = (-1.26, 0.83)
    fix.speedAccuracyMetersPerSecond = 0.8
    fix.courseAccuracyDegrees = 12.5
    board.server?.publish(.fix(fix))
    let expected = try #require(Heading(fix))
    _ = await listener.received.wait { $0.contains(.heading(expected)) }
    #expect(manager.headingAvailable && manager.heading == expected)
    manager.stopUpdatingHeading()
    manager.startUpdatingLocation()
    // The next fix has no heading, so the earlier heading must not be added to it.
    board.publishFix(time: 1_767_225_601)
    board.server?.publish(.fix(fix))
    let location = await listener.received.wait { events in
      Listener.locations(events).contains { $0.speedAccuracyMetersPerSecond != nil }
    }
    let moving = try #require(Listener.locations(location).last)
    #expect(moving.speedAccuracyMetersPerSecond == Location(fix)?.speedAccuracyMetersPerSecond)
    #expect(moving.courseAccuracyDegrees == Location(fix)?.courseAccuracyDegrees)
    try await board.stopDaemon()
  }

  @Test func `a client gets the last position of a lost receiver, marked as not current`() async throws {
    let board = try await BoardFixture.serving(.always)
    board.publishFix()
    let current = try await board.client.lastLocation(timeoutSeconds: 20)
    #expect(current.isCurrent)
    board.server?.publish(.lost(SourceLoss(.silent), source: "auto"))
    let last = try await board.client.lastLocation(timeoutSeconds: 20)
    #expect(!last.isCurrent && last.fix.coordinate == current.fix.coordinate)
    #expect((last.fix.ageSeconds(at: .now()) ?? -1) >= 0)
    try await board.stopDaemon()
  }
}
