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

  private func notes(_ fixture: ServerCoreFixture) -> [ServiceUse] {
    fixture.actions.compactMap { if case .note(_, let use) = $0 { use } else { nil } }
  }

  @Test func `a stream without locations contains only authorizations, and is not reported as a use`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    fixture.handle(.published(.object(ServerObject(name: "PATH", json: Array("{}".utf8), for: .authorized))))
    fixture.publishFix()
    let id = fixture.request(Self.authorizationStream)
    fixture.publishFix()
    fixture.publishSky()
    fixture.handle(.published(.lost(SourceLoss(.deactivated), source: "gpsd")))
    fixture.decide(Authorization(.denied))
    fixture.decide(Self.full)
    fixture.publishFix()
    #expect(fixture.classes(id) == ["AUTH", "AUTH", "AUTH"])
    #expect(!fixture.text(id).contains(ServerCoreFixture.latitude))
    fixture.close(id)
    #expect(notes(fixture).isEmpty)
  }

  @Test func `a stream that replaces another stream is reported as a second use of locations`() {
    var fixture = ServerCoreFixture(initial: Self.full)
    let first = fixture.request(DaemonRequest(.events))
    fixture.publishFix()
    let second = fixture.request(DaemonRequest(.events, activity: "survey"))
    fixture.close(first)
    fixture.publishFix()
    fixture.close(second)
    #expect(
      notes(fixture).filter { if case .activityBegan = $0 { false } else { $0 != .activityEnded } }
        == [
          .started(.updates), .firstLocation(.updates), .started(.updates),
          .firstLocation(.updates), .stopped(.updates, locationCount: 1),
          .stopped(.updates, locationCount: 2),
        ])
  }

  @Test func `after a receiver loss, a client with reduced accuracy gets the same location again`() {
    var fixture = ServerCoreFixture(initial: Authorization(.authorizedAlways, accuracy: .reducedAccuracy))
    let id = fixture.request(DaemonRequest(.events))
    fixture.publishFix()
    fixture.advance(seconds: 100)
    fixture.handle(.published(.lost(SourceLoss(.deactivated, receiver: "/dev/ttyACM0"), source: "auto")))
    #expect(fixture.classes(id) == ["AUTH", "TPV", "ERROR"])
    // The board has moved. This must not be revealed before the next update is due.
    fixture.publishFix(latitude: 54.6)
    #expect(fixture.classes(id) == ["AUTH", "TPV", "ERROR", "TPV"])
    fixture.publishFix(latitude: 54.6)
    #expect(fixture.classes(id).count == 4)
    let fixes = fixture.text(id).split(separator: "\n").filter { $0.contains(#""class":"TPV""#) }
    #expect(fixes.count == 2)
    #expect(fixes.allSatisfy { $0.contains(#""lat":54.075000000"#) }, "\(fixes)")
  }
}
