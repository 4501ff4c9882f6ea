// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@Suite("Use of locations reported to the daemon", .serialized, .timeLimit(.minutes(5)))
struct DaemonManagerUseTests {
  /// A manager with a one-time grant, and its delegate.
  private func allowedOnce(_ board: BoardFixture) async throws -> (LocationManager, Listener) {
    await board.startDaemon()
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    try board.decide(.always, once: true)
    manager.requestAlwaysAuthorization()
    await listener.waitForStatus(.authorizedAlways)
    return (manager, listener)
  }

  @Test func `a location manager reports one use from the first start of a service to the last stop`() async throws {
    let board = try BoardFixture()
    let (manager, listener) = try await allowedOnce(board)
    board.publishFix()
    #expect(manager.diagnostics == [])
    manager.startUpdatingLocation()
    await listener.waitForLocations()
    // The same program starts a second, simultaneous use.
    #expect(try await board.client.location(timeoutSeconds: 20).coordinate != nil)
    await board.waitForLog(#""oneShot""#)
    board.publishFix(latitude: 10)
    #expect(await listener.waitForLocations(2)?.coordinate.latitudeDegrees == 10)
    manager.stopUpdatingLocation()
    await listener.received.wait { $0.last == .status(.notDetermined, .fullAccuracy) }
    let log = await board.waitForLog(#""stopped""#)
    #expect(log.split(separator: "\n").count { $0.contains(#""started""#) } == 2, "\(log)")
    #expect(try board.places.store.read().decisions.isEmpty)
    try await board.stopDaemon()
  }

  @Test func `a one-time grant ends when a one-shot request has delivered its location`() async throws {
    let board = try BoardFixture()
    let (manager, listener) = try await allowedOnce(board)
    manager.requestLocation()
    await board.waitForLog(#""started""#)
    board.publishFix()
    await listener.waitForLocations()
    await listener.received.wait { $0.last == .status(.notDetermined, .fullAccuracy) }
    #expect(try board.places.store.read().decisions.isEmpty)
    try await board.stopDaemon()
  }

  @Test func `a location manager reports the program's current activity to the daemon`() async throws {
    let board = try await BoardFixture.serving(policy: "allow \(BoardFixture.user) level=when-in-use\n")
    let manager = await board.manager()
    let listener = Listener.listening(to: manager)
    manager.requestWhenInUseAuthorization()
    manager.startUpdatingLocation()
    await listener.waitForStatus(.authorizedWhenInUse)
    manager.beginActivity(reason: "sailing home")
    await board.waitForLog("sailing home")
    board.publishFix()
    await listener.waitForLocations()
    manager.beginActivity(reason: "fishing")
    await board.waitForLog("fishing")
    manager.endActivity()
    manager.endActivity()
    await board.waitForLog("activityEnded")
    try await board.stopDaemon()
  }
}
