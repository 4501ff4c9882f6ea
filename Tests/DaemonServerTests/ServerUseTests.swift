// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import DaemonServer

@Suite("Reported uses of locations") struct ServerUseTests {
  private static let full = Authorization(.authorizedAlways)

  private static var authorizationStream: DaemonRequest {
    var request = DaemonRequest(.events)
    request.includesLocations = false
    return request
  }

  private func notes(_ world: ServerWorld) -> [ServiceUse] {
    world.actions.compactMap { if case .note(_, let use) = $0 { use } else { nil } }
  }

  @Test func `a stream without locations contains only authorizations, and is not reported as a use`() {
    var world = ServerWorld(initial: Self.full)
    world.handle(
      .published(.object(ServerObject(name: "PATH", json: Array("{}".utf8), for: .authorized))))
    world.publishFix()
    let id = world.request(Self.authorizationStream)
    world.publishFix()
    world.publishSky()
    world.handle(.published(.lost(SourceLoss(.deactivated), source: "gpsd")))
    world.decide(Authorization(.denied))
    world.decide(Self.full)
    world.publishFix()
    #expect(world.classes(id) == ["AUTH", "AUTH", "AUTH"])
    #expect(!world.text(id).contains(ServerWorld.latitude))
    world.close(id)
    #expect(notes(world).isEmpty)
  }

  @Test func `a stream that replaces another stream is reported as a second use of locations`() {
    var world = ServerWorld(initial: Self.full)
    let first = world.request(DaemonRequest(.events))
    world.publishFix()
    let second = world.request(DaemonRequest(.events, activity: "survey"))
    world.close(first)
    world.publishFix()
    world.close(second)
    #expect(
      notes(world).filter { if case .activityBegan = $0 { false } else { $0 != .activityEnded } }
        == [
          .started(.updates), .firstLocation(.updates), .started(.updates),
          .firstLocation(.updates), .stopped(.updates, locationCount: 1),
          .stopped(.updates, locationCount: 2),
        ])
  }

  @Test func `after a receiver loss, a client with reduced accuracy gets the same location again`() {
    var world = ServerWorld(initial: Authorization(.authorizedAlways, accuracy: .reducedAccuracy))
    let id = world.request(DaemonRequest(.events))
    world.publishFix()
    world.advance(seconds: 100)
    world.handle(
      .published(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "auto")))
    #expect(world.classes(id) == ["AUTH", "TPV", "ERROR"])
    // The board has moved. This must not be revealed before the next update is due.
    world.publishFix(latitude: 54.6)
    #expect(world.classes(id) == ["AUTH", "TPV", "ERROR", "TPV"])
    world.publishFix(latitude: 54.6)
    #expect(world.classes(id).count == 4)
    let fixes = world.text(id).split(separator: "\n").filter { $0.contains(#""class":"TPV""#) }
    #expect(fixes.count == 2)
    #expect(fixes.allSatisfy { $0.contains(#""lat":54.075000000"#) }, "\(fixes)")
  }
}
