// SPDX-License-Identifier: Apache-2.0

import DaemonClient
import DaemonProtocol
import FixcastTesting
import LocationServices
import Positioning
import Testing

@Suite("What a location manager tells a daemon of its use", .serialized, .timeLimit(.minutes(5)))
struct DaemonManagerUseTests {
  /// A manager that has been allowed once, and whoever hears it.
  private func allowedOnce(_ board: TestBoard) async throws -> (LocationManager, Listener) {
    await board.startDaemon()
    let (manager, listener) = (board.manager(), Listener())
    manager.delegate = listener
    try board.decide(.always, once: true)
    manager.requestAlwaysAuthorization()
    await listener.waitForStatus(.authorizedAlways)
    return (manager, listener)
  }

  @Test("is no user of locations before something is started, nor after all is stopped")
  func once() async throws {
    let board = try TestBoard()
    let (manager, listener) = try await allowedOnce(board)
    board.say()
    #expect(manager.diagnostics == [])
    manager.startUpdatingLocation()
    await listener.waitForLocations()
    // Another use of the same program, beside the first.
    #expect(try await board.client.location(timeoutSeconds: 20).coordinate != nil)
    await board.waitForLog(#""oneShot""#)
    board.say(latitude: 10)
    #expect(await listener.waitForLocations(2)?.coordinate.latitudeDegrees == 10)
    manager.stopUpdatingLocation()
    await listener.heard.wait { $0.last == .status(.notDetermined, .fullAccuracy) }
    let log = await board.waitForLog(#""stopped""#)
    #expect(log.split(separator: "\n").count { $0.contains(#""started""#) } == 2, "\(log)")
    #expect(try board.places.store.read().decisions.isEmpty)
    try await board.stopDaemon()
  }

  @Test("asked for one location, what was allowed once is over with its answer")
  func onceOneShot() async throws {
    let board = try TestBoard()
    let (manager, listener) = try await allowedOnce(board)
    manager.requestLocation()
    await board.waitForLog(#""started""#)
    board.say()
    await listener.waitForLocations()
    await listener.heard.wait { $0.last == .status(.notDetermined, .fullAccuracy) }
    #expect(try board.places.store.read().decisions.isEmpty)
    try await board.stopDaemon()
  }

  @Test("tells the daemon what the program is busy with, and what else after that")
  func activity() async throws {
    let board = try TestBoard(policy: "allow \(TestBoard.user) level=when-in-use\n")
    await board.startDaemon()
    let manager = board.manager()
    let listener = Listener()
    manager.delegate = listener
    manager.requestWhenInUseAuthorization()
    manager.startUpdatingLocation()
    await listener.waitForStatus(.authorizedWhenInUse)
    manager.beginActivity(reason: "sailing home")
    await board.waitForLog("sailing home")
    board.say()
    await listener.waitForLocations()
    manager.beginActivity(reason: "fishing")
    await board.waitForLog("fishing")
    manager.endActivity()
    manager.endActivity()
    await board.waitForLog("activityEnded")
    try await board.stopDaemon()
  }
}
