// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("The machine of a location manager")
struct LocationMachineTests {
  typealias Event = LocationMachine.Event
  typealias Action = LocationMachine.Action

  static let here = Location(
    coordinate: .at(51.5, -0.1))
  static let granted = Authorization(.authorizedWhenInUse)
  static let always = Authorization(.authorizedAlways)
  static let denied = Authorization(.denied)
  static let restricted = Authorization(.restricted)

  private func run(
    from status: AuthorizationStatus = .notDetermined, _ events: [Event]
  ) -> [Action] {
    var machine = LocationMachine(authorization: Authorization(status))
    return events.flatMap { machine.handle($0) }
  }

  @Test("tells of the authorization when a delegate comes")
  func first() {
    #expect(run([.attached]) == [.call(.didChangeAuthorization(Authorization(.notDetermined)))])
  }

  @Test("asks once, tells of the grant, then delivers what was started before")
  func grant() {
    let actions = run([
      .startUpdating, .location(Self.here), .requestAuthorization(.whenInUse),
      .requestAuthorization(.whenInUse), .answered(Self.granted), .location(Self.here),
    ])
    #expect(
      actions == [
        .ask(.whenInUse), .call(.didChangeAuthorization(Self.granted)),
        .call(.didUpdateLocations([Self.here])),
      ])
  }

  @Test("delivers nothing when refused, and fails what was started once")
  func refusal() {
    let actions = run([
      .startUpdating, .requestAuthorization(.whenInUse), .answered(Self.denied),
      .location(Self.here), .decided(Self.restricted),
    ])
    #expect(
      actions == [
        .ask(.whenInUse), .dropLocations, .call(.didChangeAuthorization(Self.denied)),
        .call(.didFailWithError(.denied)), .dropLocations,
        .call(.didChangeAuthorization(Self.restricted)),
      ])
  }

  @Test(
    "answers a start or a request with denied while refused",
    arguments: [Event.startUpdating, .requestLocation])
  func startRefused(event: Event) {
    #expect(run(from: .denied, [event]) == [.call(.didFailWithError(.denied))])
    #expect(run(from: .restricted, [event]) == [.call(.didFailWithError(.denied))])
  }

  @Test("drops what waits and delivers nothing more when revoked")
  func revoked() {
    let actions = run(
      from: .authorizedAlways, [.startUpdating, .decided(Self.denied), .location(Self.here)])
    #expect(
      actions == [
        .dropLocations, .call(.didChangeAuthorization(Self.denied)),
        .call(.didFailWithError(.denied)),
      ])
  }

  @Test("an upgrade is asked for once, and a refused one leaves the grant")
  func upgrade() {
    #expect(
      run(
        from: .authorizedWhenInUse,
        [
          .requestAuthorization(.always), .answered(Self.denied), .requestAuthorization(.always),
        ]) == [.ask(.always)])
    #expect(
      run(
        from: .authorizedWhenInUse, [.requestAuthorization(.always), .answered(Self.always)])
        == [.ask(.always), .call(.didChangeAuthorization(Self.always))])
  }

  @Test("an answer that a decision has overtaken counts no more")
  func overtaken() {
    #expect(
      run([.requestAuthorization(.whenInUse), .decided(Self.restricted), .answered(Self.granted)])
        == [.ask(.whenInUse), .dropLocations, .call(.didChangeAuthorization(Self.restricted))])
  }

  @Test("answers a one-shot request exactly once")
  func oneShot() {
    let answered = run(
      from: .authorizedWhenInUse,
      [.requestLocation, .location(Self.here), .location(Self.here), .timedOut(1)])
    #expect(answered == [.startTimer(1), .call(.didUpdateLocations([Self.here]))])
    let expired = run(
      from: .authorizedWhenInUse, [.requestLocation, .requestLocation, .timedOut(1), .timedOut(1)])
    #expect(expired == [.startTimer(1), .call(.didFailWithError(.locationUnknown))])
    #expect(
      run([.requestLocation, .timedOut(1)])
        == [.startTimer(1), .call(.didFailWithError(.denied))])
  }

  @Test("a one-shot request is nothing while updating, and is cancelled by a start or a stop")
  func oneShotCancelled() {
    #expect(run(from: .authorizedAlways, [.startUpdating, .requestLocation]) == [])
    #expect(
      run(from: .authorizedAlways, [.requestLocation, .startUpdating, .timedOut(1)])
        == [.startTimer(1)])
    #expect(
      run(from: .authorizedAlways, [.requestLocation, .stopUpdating, .location(Self.here)])
        == [.startTimer(1), .dropLocations])
  }

  @Test("tells of an outage once, and resumes")
  func outage() {
    let actions = run(
      from: .authorizedAlways,
      [
        .startUpdating, .positionLost, .positionLost, .location(Self.here), .positionLost,
      ])
    #expect(
      actions == [
        .call(.didFailWithError(.locationUnknown)), .call(.didUpdateLocations([Self.here])),
        .call(.didFailWithError(.locationUnknown)),
      ])
  }

  @Test("a client of reduced accuracy learns the five kilometres around, for 20,000 locations")
  func reduced() throws {
    var generator = SeededGenerator(seed: 6)
    let reduced = Authorization(.authorizedAlways, accuracy: .reducedAccuracy)
    for _ in 0..<20_000 {
      var location = Location(
        coordinate: .at(
          .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)))
      location.mode = .threeDimensional
      location.altitudeMetersAboveSeaLevel = 35
      location.altitudeMetersAboveEllipsoid = 80
      location.speedMetersPerSecond = 4
      location.courseDegreesTrue = 20
      location.verticalAccuracy = Accuracy(meters: 1, confidencePercent: 95, basis: .receiver)
      let stated = Double.random(in: 0...3000, using: &generator)
      location.horizontalAccuracy = Accuracy(
        meters: stated, confidencePercent: 95, basis: .receiver)
      var machine = LocationMachine(authorization: reduced)
      _ = machine.handle(.startUpdating)
      let actions = machine.handle(.location(location))
      #expect(location.reduced.reduced == location.reduced)
      guard case .call(.didUpdateLocations(let delivered)) = actions.first,
        let told = delivered.first
      else {
        Issue.record("nothing delivered for \(location)")
        return
      }
      for degrees in [told.coordinate.latitudeDegrees, told.coordinate.longitudeDegrees] {
        #expect((degrees * 20).rounded() / 20 == degrees)
      }
      // The truth lies inside, as often as it is said.
      let radius = try #require(told.horizontalAccuracy)
      let distance = told.coordinate.distanceMeters(to: location.coordinate)
      #expect(radius.meters >= 5000 && radius.meters >= distance + stated)
      #expect(radius.confidencePercent == 95)
      var rest = Location(coordinate: told.coordinate)
      rest.horizontalAccuracy = radius
      #expect(told == rest)
    }
  }

  @Test("tells of each epoch without a position, and of nothing that it still carries")
  func withoutPosition() {
    var fix = Fix(mode: .none)
    fix.satellitesUsed = 3
    fix.source = "ttyACM0"
    var stale = fix
    stale.coordinate = .at(1, 2)
    stale.altitudeMetersAboveSeaLevel = 35
    stale.dilution.horizontal = 99
    let told = Action.call(.didReceiveFixWithoutPosition(fix))
    #expect(
      run(from: .authorizedAlways, [.startUpdating, .noPosition(stale), .noPosition(fix)])
        == [.call(.didFailWithError(.locationUnknown)), told, told])
    #expect(run(from: .authorizedAlways, [.noPosition(stale)]) == [])
    #expect(run([.startUpdating, .noPosition(stale)]) == [])
  }

  @Test("never delivers outside a grant, under 20,000 random sequences")
  func property() {
    var generator = SeededGenerator(seed: 20)
    let events: [Event] = [
      .attached, .requestAuthorization(.whenInUse), .requestAuthorization(.always),
      .answered(Self.granted), .answered(Self.denied), .decided(Self.denied),
      .decided(Self.always), .decided(Self.restricted), .startUpdating, .stopUpdating,
      .requestLocation, .location(Self.here), .noPosition(Fix(mode: .none)), .positionLost,
      .timedOut(1), .timedOut(2),
    ]
    for _ in 0..<20_000 {
      var machine = LocationMachine(authorization: Authorization(.notDetermined))
      var history: [Event] = []
      var told: Authorization?
      for _ in 0..<12 {
        guard let event = events.randomElement(using: &generator) else { return }
        history.append(event)
        for action in machine.handle(event) {
          switch action {
          case .call(.didUpdateLocations) where !machine.authorization.status.isAuthorized,
            .call(.didReceiveFixWithoutPosition)
          where !machine.authorization.status.isAuthorized:
            Issue.record("delivered outside a grant: \(history)")
          case .call(.didChangeAuthorization(let authorization)) where event != .attached:
            if told == authorization { Issue.record("repeated \(authorization): \(history)") }
            told = authorization
          default: break
          }
        }
      }
    }
  }
}
