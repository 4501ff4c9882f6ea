// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Location machine with authorization enforced by a daemon")
struct ServedMachineTests {
  private static func machine(
    _ granted: Authorization = .reducedAlways, mode: AuthorizationMode = .enforced
  ) -> LocationMachine {
    LocationMachine(AuthorizationState(granted, mode: mode), purpose: "Test")
  }

  /// A location as reduced by a daemon, on a different grid.
  private static func served(_ latitude: Double, time: Int64 = 900) -> Location {
    var location = Location.at(latitude, 10, time: UTCTime(secondsSince1970: time))
    location.horizontalAccuracy = Accuracy(meters: 5500, confidencePercent: 68, basis: .dilution)
    return location
  }

  @Test func `a location reduced by the daemon is delivered once, unchanged and not delayed`() {
    var machine = Self.machine()
    _ = machine.handle(.start(.updates), at: .at(0))
    let (first, second) = (Self.served(48.1), Self.served(48.2, time: 1800))
    #expect(machine.handle(.location(first), at: .at(1)).contains(.call(.didUpdateLocations([first]))))
    #expect(!machine.handle(.location(first), at: .at(2)).contains { $0.isCall })
    // By this process's clock, slightly less than 15 minutes have passed.
    #expect(machine.handle(.location(second), at: .at(899)).contains(.call(.didUpdateLocations([second]))))
  }

  @Test func `without a daemon, the location machine reduces locations and limits their rate`() {
    var machine = Self.machine(mode: .cooperative)
    _ = machine.handle(.start(.updates), at: .at(0))
    let first = Self.served(48.1)
    #expect(!machine.handle(.location(first), at: .at(1)).contains(.call(.didUpdateLocations([first]))))
    #expect(!machine.handle(.location(Self.served(48.2)), at: .at(899)).contains { $0.isCall })
  }

  @Test func `a service that starts later receives the daemon's last location at once`() {
    var machine = Self.machine()
    let location = Self.served(48.1)
    #expect(!machine.handle(.location(location), at: .at(1)).contains { $0.isCall })
    let delivery = LocationMachine.Action.call(.didUpdateLocations([location]))
    #expect(machine.handle(.start(.updates), at: .at(600)).contains(delivery))
    #expect(!machine.handle(.start(.updates), at: .at(601)).contains(delivery))
    _ = machine.handle(.stop(.updates), at: .at(602))
    #expect(machine.handle(.requestLocation, at: .at(603)).contains(delivery))
    // After 15 minutes, the last location is outdated, and the next one is due.
    _ = machine.handle(.stop(.updates), at: .at(903))
    #expect(!machine.handle(.start(.updates), at: .at(904)).contains(delivery))
  }

  @Test func `a lost position reported by the daemon is delivered at once`() {
    var machine = Self.machine()
    _ = machine.handle(.start(.updates), at: .at(0))
    _ = machine.handle(.location(Self.served(48.1)), at: .at(1))
    #expect(machine.handle(.positionLost, at: .at(2)).contains(.call(.didFailWithError(.locationUnknown))))
    #expect(machine.diagnostics.contains(.noReceiver))
  }

  @Test func `with a source on demand, the reception is unknown until a service has started`() {
    var machine = Self.machine(.always)
    machine.setSource(isOnDemand: true)
    #expect(machine.diagnostics == [])
    let wait = LocationMachine.Action.startTimer(.reception, .seconds(5))
    #expect(machine.handle(.start(.updates), at: .at(0)).contains(wait))
    #expect(machine.diagnostics == [])
    #expect(machine.handle(.timedOut(.reception), at: .at(5)) == [])
    #expect(machine.diagnostics == [.locationUnavailable, .noReceiver])
    // A second service does not start another timer.
    #expect(!machine.handle(.requestLocation, at: .at(6)).contains(wait))
    _ = machine.handle(.location(Self.served(48)), at: .at(7))
    #expect(machine.diagnostics == [])
    _ = machine.handle(.stop(.updates), at: .at(8))
    _ = machine.handle(.positionLost, at: .at(9))
    #expect(machine.diagnostics == [])
    #expect(machine.handle(.start(.updates), at: .at(100)).contains(wait))
    #expect(machine.diagnostics == [])
    _ = machine.handle(.receiverFound, at: .at(101))
    #expect(machine.diagnostics == [.locationUnavailable, .noFix])
    #expect(machine.handle(.timedOut(.reception), at: .at(105)) == [])
    #expect(machine.diagnostics == [.locationUnavailable, .noFix])
    // A source in this process reports even while no service is started.
    let withoutDaemon = Self.machine(.always, mode: .cooperative)
    #expect(withoutDaemon.diagnostics == [.locationUnavailable, .noReceiver])
  }

  @Test func `after a lost position, the same reduced location again ends the outage`() {
    var machine = Self.machine()
    _ = machine.handle(.start(.updates), at: .at(0))
    let location = Self.served(48.1)
    _ = machine.handle(.location(location), at: .at(1))
    _ = machine.handle(.positionLost, at: .at(2))
    #expect(machine.diagnostics.contains(.noReceiver))
    #expect(!machine.handle(.location(location), at: .at(12)).contains { $0.isCall })
    #expect(machine.diagnostics == .accuracyLimited)
    #expect(machine.handle(.positionLost, at: .at(13)).contains(.call(.didFailWithError(.locationUnknown))))
  }

  @Test func `an unreachable daemon sets the diagnostics but not the authorization`() {
    var machine = Self.machine(.always)
    #expect(machine.handle(.policy(.mode(.unreachable)), at: .at(0)) == [])
    #expect(machine.diagnostics.contains(.daemonUnreachable))
    #expect(machine.handle(.policy(.mode(.enforced)), at: .at(1)) == [])
    #expect(!machine.diagnostics.contains(.daemonUnreachable))
  }

  @Test func `a decision for full accuracy answers each pending request once, before other callbacks`() {
    var machine = Self.machine()
    _ = machine.handle(.requestFullAccuracy(id: 7, key: "map"), at: .at(0))
    _ = machine.handle(.requestFullAccuracy(id: 8, key: "map"), at: .at(0))
    #expect(
      machine.handle(.policy(.decided(.always)), at: .at(1)) == [
        .call(.didAnswerFullAccuracy(id: 7, nil)), .call(.didAnswerFullAccuracy(id: 8, nil)),
        .call(.didChangeAuthorization(.always)),
      ])
    #expect(
      machine.handle(.policy(.decided(.reducedAlways)), at: .at(2)).last
        == .call(.didChangeAuthorization(.reducedAlways)))
    // Late answers to requests that were already answered have no effect.
    for (number, id): (UInt64, UInt64) in [(1, 7), (2, 8)] {
      let answer = LocationMachine.Event.answeredFullAccuracy(number: number, id: id, .granted(duration: nil))
      #expect(machine.handle(answer, at: .at(3)) == [])
    }
    #expect(machine.authorization.effective == .reducedAlways)
  }
}

extension LocationMachine.Action {
  fileprivate var isCall: Bool { if case .call = self { true } else { false } }
}
