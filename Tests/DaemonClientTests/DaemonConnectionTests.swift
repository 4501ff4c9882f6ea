// SPDX-License-Identifier: Apache-2.0

import Broker
import DaemonInterface
import FixcastTesting
import LocationServices
import Positioning
import Testing

@testable import DaemonClient

@Suite("A program's connections to the daemon", .serialized, .timeLimit(.minutes(1)))
struct DaemonConnectionTests {
  private typealias Event = DaemonSession.Event

  private static func isFix(_ event: Event) -> Bool {
    if case .object(.fix) = event { true } else { false }
  }

  private static func isLost(_ event: Event) -> Bool {
    if case .lost = event { true } else { false }
  }

  private static func isFirst(_ event: Event) -> Bool {
    if case .object(.authorization) = event { true } else { false }
  }

  @Test("are as many as the program has managers")
  func many() async throws {
    let board = try TestBoard()
    try board.decide(.always)
    await board.startDaemon()
    let managers = (0..<10).map { _ in board.manager() }
    let listeners = managers.map { _ in Listener() }
    for (manager, listener) in zip(managers, listeners) {
      manager.delegate = listener
      manager.startUpdatingLocation()
    }
    board.say()
    for listener in listeners { #expect(await listener.waitForLocations() != nil) }
    #expect(board.reports.events.isEmpty)
    withExtendedLifetime(managers) {}
    try await board.stopDaemon()
  }
}
