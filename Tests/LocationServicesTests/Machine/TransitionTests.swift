// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// A table of transitions: each row has events and the expected callbacks in order.
@Suite("Transitions of authorization")
struct TransitionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    typealias Event = LocationMachine.Event

    var number: Int
    var title: String
    var status: AuthorizationStatus = .notDetermined
    var accuracy: AccuracyAuthorization = .fullAccuracy
    /// Earlier events, whose callbacks are not checked.
    var given: [Event] = []
    var when: [Event]
    var then: [LocationCallback]
    /// The authorization after the events.
    var ends: Authorization
    var isPending = false

    var testDescription: String { "\(number): \(title)" }
  }

  private static let region = CircularRegion(
    center: Location.here.coordinate, radiusMeters: 200, identifier: "home")
  private static let requested: [Row.Event] = [
    .requestAuthorization(.whenInUse), .answered(1, .pending),
  ]
  private static let fix: Row.Event = .location(.here)
  private static let delivered: LocationCallback = .didUpdateLocations([.here])
  private static func changed(_ to: Authorization) -> LocationCallback {
    .didChangeAuthorization(to)
  }
  private static let denied: LocationCallback = .didFailWithError(.denied)
  private static let regionDenied: LocationCallback =
    .monitoringDidFail(region, .regionMonitoringDenied)
  private static let unknown: LocationCallback = .didFailWithError(.locationUnknown)

  static let rows: [Row] = [
    Row(
      number: 1, title: "a delegate is set", when: [.attached], then: [changed(.undecided)],
      ends: .undecided),
    Row(
      number: 2, title: "a request is allowed by a default rule",
      when: [.requestAuthorization(.whenInUse), .answered(1, .decided(.inUse))],
      then: [changed(.inUse)], ends: .inUse),
    Row(
      number: 3, title: "a request waits for an operator", when: requested, then: [],
      ends: .undecided, isPending: true),
    Row(
      number: 4, title: "a request is denied by a default rule",
      when: [.requestAuthorization(.whenInUse), .answered(1, .decided(.denied))],
      then: [changed(.denied)], ends: .denied),
    Row(
      number: 5, title: "a second request while one is pending", given: requested,
      when: [.requestAuthorization(.whenInUse), .requestAuthorization(.always)], then: [],
      ends: .undecided, isPending: true),
    Row(
      number: 6, title: "a pending request is allowed while in use",
      given: requested + [.start(.updates)],
      when: [fix, .policy(.decided(.inUse)), fix], then: [changed(.inUse), delivered], ends: .inUse),
    Row(
      number: 6, title: "a pending request is allowed at any time", given: requested,
      when: [.policy(.decided(.always))], then: [changed(.always)], ends: .always),
    Row(
      number: 7, title: "a pending request is denied while two services are started",
      given: requested + [.start(.updates), .start(.visits)],
      when: [.policy(.refused(.whenInUse)), fix], then: [changed(.denied), denied, denied],
      ends: .denied),
    Row(
      number: 7, title: "a pending request is denied while a one-shot request waits",
      given: requested + [.requestLocation],
      when: [.policy(.decided(.denied)), .timedOut(.oneShot(1))],
      then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 7, title: "a pending request is denied while a region is monitored",
      given: requested + [.startMonitoring(region)],
      when: [.policy(.decided(.denied))], then: [changed(.denied), regionDenied], ends: .denied),
    Row(
      number: 8, title: "a pending request times out",
      given: requested + [.requestLocation],
      when: [.timedOut(.oneShot(1)), .policy(.lapsed(.whenInUse))], then: [unknown],
      ends: .undecided),
    Row(
      number: 9, title: "updates started before a decision begin with the grant",
      when: [
        .start(.updates), fix, .requestAuthorization(.whenInUse), .answered(1, .decided(.inUse)),
        fix,
      ], then: [changed(.inUse), delivered], ends: .inUse),
    Row(
      number: 10, title: "a one-shot request without any request for authorization",
      when: [.requestLocation, fix, .timedOut(.oneShot(1))], then: [denied], ends: .undecided),
    Row(
      number: 11, title: "a request while access is denied", status: .denied,
      when: [.requestAuthorization(.whenInUse), .requestAuthorization(.always)], then: [],
      ends: .denied),
    Row(
      number: 11, title: "a request while access is restricted", status: .restricted,
      when: [.requestAuthorization(.whenInUse), .requestAuthorization(.always)], then: [],
      ends: .restricted),
    Row(
      number: 12, title: "an upgrade is requested and waits", status: .authorizedWhenInUse,
      when: [.requestAuthorization(.always), .answered(1, .pending)], then: [], ends: .inUse,
      isPending: true),
    Row(
      number: 12, title: "an upgrade is allowed", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always), .answered(1, .pending)],
      when: [.policy(.decided(.always))], then: [changed(.always)], ends: .always),
    Row(
      number: 12, title: "an upgrade is refused", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always), .answered(1, .pending)],
      when: [.policy(.refused(.always))], then: [], ends: .inUse),
    Row(
      number: 12, title: "an upgrade is answered by a revocation",
      status: .authorizedWhenInUse, given: [.start(.updates), .requestAuthorization(.always)],
      when: [.answered(1, .decided(.denied)), fix], then: [changed(.denied), denied],
      ends: .denied),
    Row(
      number: 12, title: "an upgrade is answered by a lock", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always)], when: [.answered(1, .decided(.restricted))],
      then: [changed(.restricted)], ends: .restricted),
    Row(
      number: 12, title: "an upgrade is answered by the existing grant",
      status: .authorizedWhenInUse, given: [.requestAuthorization(.always)],
      when: [.answered(1, .decided(.inUse))], then: [], ends: .inUse),
    Row(
      number: 12, title: "an upgrade is answered by reduced accuracy",
      status: .authorizedWhenInUse, given: [.requestAuthorization(.always)],
      when: [
        .answered(
          1, .decided(Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)))
      ],
      then: [changed(Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy))],
      ends: Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)),
    Row(
      number: 13, title: "an upgrade is requested again", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always), .policy(.refused(.always))],
      when: [.requestAuthorization(.always), .requestAuthorization(.whenInUse)], then: [],
      ends: .inUse),
    Row(
      number: 14, title: "a one-shot request with a location", status: .authorizedWhenInUse,
      when: [.requestLocation, fix, fix, .timedOut(.oneShot(1))], then: [delivered], ends: .inUse),
    Row(
      number: 14, title: "a one-shot request without a location", status: .authorizedAlways,
      when: [.requestLocation, .timedOut(.oneShot(1)), .timedOut(.oneShot(1)), fix],
      then: [unknown], ends: .always),
    Row(
      number: 15, title: "a one-shot request while updates run", status: .authorizedAlways,
      given: [.start(.updates)], when: [.requestLocation, .timedOut(.oneShot(1))], then: [],
      ends: .always),
    Row(
      number: 16, title: "updates are started while a one-shot request is pending",
      status: .authorizedAlways, given: [.requestLocation],
      when: [.start(.updates), .timedOut(.oneShot(1)), fix, fix], then: [delivered, delivered],
      ends: .always),
    Row(
      number: 17, title: "updates are stopped", status: .authorizedAlways,
      given: [.start(.updates)],
      when: [.stop(.updates), fix], then: [], ends: .always),
    Row(
      number: 17, title: "updates are stopped while a one-shot request is pending",
      status: .authorizedAlways,
      given: [.requestLocation], when: [.stop(.updates), fix, .timedOut(.oneShot(1))], then: [],
      ends: .always),
    Row(
      number: 18, title: "an outage is reported once, and again after a location",
      status: .authorizedAlways,
      given: [.start(.updates)],
      when: [.positionLost, .positionLost, fix, .positionLost],
      then: [unknown, delivered, unknown],
      ends: .always),
    Row(
      number: 19, title: "locations arrive while updates are started, not later",
      status: .authorizedWhenInUse, given: [.start(.updates)],
      when: [fix, .stop(.updates), fix], then: [delivered], ends: .inUse),
    Row(
      number: 20, title: "a revocation while services are active", status: .authorizedAlways,
      given: [.start(.updates), .start(.visits)],
      when: [.policy(.decided(.denied)), fix], then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 20, title: "location services are disabled for the whole board",
      status: .authorizedWhenInUse,
      given: [.requestLocation], when: [.policy(.deniedGlobally), fix, .timedOut(.oneShot(1))],
      then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 20, title: "a revocation while only regions are active", status: .authorizedAlways,
      given: [.startMonitoring(region)], when: [.policy(.decided(.denied)), fix],
      then: [changed(.denied), regionDenied], ends: .denied),
    Row(
      number: 20, title: "a revocation while updates and a region are active",
      status: .authorizedAlways, given: [.start(.updates), .startMonitoring(region)],
      when: [.policy(.decided(.denied)), .policy(.decided(.restricted))],
      then: [changed(.denied), denied, regionDenied, changed(.restricted)], ends: .restricted),
    Row(
      number: 20, title: "a revocation after reduced accuracy has ended monitoring",
      status: .authorizedAlways,
      given: [.startMonitoring(region), .policy(.decided(.reducedAlways))],
      when: [.policy(.decided(.denied))], then: [changed(.denied)], ends: .denied),
    Row(
      number: 20, title: "a revocation while no service is active", status: .authorizedAlways,
      when: [.policy(.decided(.denied))], then: [changed(.denied)], ends: .denied),
    Row(
      number: 21, title: "a lock while a request is pending",
      given: requested + [.start(.updates)],
      when: [.policy(.decided(.restricted)), .answered(1, .decided(.inUse))],
      then: [changed(.restricted), denied], ends: .restricted),
    Row(
      number: 21, title: "a lock while updates are active", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.restricted)), fix],
      then: [changed(.restricted), denied], ends: .restricted),
    Row(
      number: 21, title: "a lock while access is denied", status: .denied,
      when: [.policy(.decided(.restricted))], then: [changed(.restricted)], ends: .restricted),
    Row(
      number: 22, title: "an unlock restores the previous decision", status: .restricted,
      when: [.policy(.decided(.inUse))], then: [changed(.inUse)], ends: .inUse),
    Row(
      number: 22, title: "an unlock without a previous decision", status: .restricted,
      when: [.policy(.decided(.undecided))], then: [changed(.undecided)], ends: .undecided),
    Row(
      number: 23, title: "a denial is reset; started updates continue with the next grant",
      status: .authorizedAlways, given: [.start(.updates), .policy(.decided(.denied))],
      when: [.policy(.decided(.undecided)), fix, .policy(.decided(.inUse)), fix],
      then: [changed(.undecided), changed(.inUse), delivered], ends: .inUse),
    Row(
      number: 24, title: "a grant after a denial", status: .denied,
      given: [.start(.updates)], when: [.policy(.decided(.always)), fix],
      then: [changed(.always), delivered], ends: .always),
    Row(
      number: 25, title: "a grant expires; a new request is needed", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.undecided)), fix],
      then: [changed(.undecided), denied], ends: .undecided),
    Row(
      number: 25, title: "a grant expires and access is denied", status: .authorizedWhenInUse,
      given: [.requestLocation],
      when: [.policy(.decided(.denied)), .timedOut(.oneShot(1))],
      then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 26, title: "a grant at any time is narrowed to while in use",
      status: .authorizedAlways,
      given: [.start(.updates)], when: [fix, .policy(.decided(.inUse)), fix],
      then: [delivered, changed(.inUse), delivered], ends: .inUse),
    Row(
      number: 27, title: "accuracy is reduced while a region is monitored",
      status: .authorizedAlways,
      given: [.startMonitoring(region)], when: [.policy(.decided(.reducedAlways))],
      then: [
        changed(.reducedAlways), .monitoringDidFail(region, .regionMonitoringDenied),
      ], ends: .reducedAlways),
    Row(
      number: 27, title: "reduced accuracy becomes full", status: .authorizedAlways,
      accuracy: .reducedAccuracy, given: [.start(.updates)],
      when: [.policy(.decided(.always)), fix], then: [changed(.always), delivered], ends: .always),
    Row(
      number: 28, title: "temporary full accuracy begins and ends", status: .authorizedAlways,
      accuracy: .reducedAccuracy,
      when: [
        .requestFullAccuracy(id: 7, key: "map"),
        .answeredFullAccuracy(number: 1, id: 7, .granted(duration: .seconds(60))),
        .timedOut(.fullAccuracy(1)),
      ],
      then: [
        .didAnswerFullAccuracy(id: 7, nil), changed(.always), changed(.reducedAlways),
      ], ends: .reducedAlways),
    Row(
      number: 28, title: "temporary full accuracy is refused", status: .authorizedAlways,
      accuracy: .reducedAccuracy,
      when: [
        .requestFullAccuracy(id: 7, key: "map"),
        .answeredFullAccuracy(number: 1, id: 7, .declined),
      ], then: [.didAnswerFullAccuracy(id: 7, .promptDeclined)], ends: .reducedAlways),
    Row(
      number: 29, title: "updates are started while access is denied", status: .denied,
      when: [.start(.updates), fix],
      then: [denied], ends: .denied),
    Row(
      number: 29, title: "a one-shot request while access is restricted", status: .restricted,
      when: [.requestLocation, fix, .timedOut(.oneShot(1))], then: [denied], ends: .restricted),
    Row(
      number: 30, title: "a new evaluation with the same result", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.always)), fix], then: [delivered],
      ends: .always),
    Row(
      number: 30, title: "a new evaluation with a different result", status: .authorizedAlways,
      when: [.policy(.decided(.inUse))], then: [changed(.inUse)], ends: .inUse),
    Row(
      number: 31, title: "the policy is reloaded without effect while a request is pending",
      given: requested, when: [.policy(.decided(.undecided)), .policy(.decided(.undecided))],
      then: [], ends: .undecided, isPending: true),
    Row(
      number: 32, title: "the program has ended", given: requested + [.start(.updates)],
      when: [.disconnected, .answered(1, .decided(.undecided)), fix], then: [],
      ends: .undecided),
    Row(
      number: 32, title: "the program has ended, which ends temporary full accuracy",
      status: .authorizedAlways, accuracy: .reducedAccuracy,
      given: [
        .requestFullAccuracy(id: 7, key: "map"),
        .answeredFullAccuracy(number: 1, id: 7, .granted(duration: nil)),
      ], when: [.disconnected], then: [], ends: .reducedAlways),
    Row(
      number: 33, title: "the decisions cannot be read", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.restricted)), fix],
      then: [changed(.restricted), denied], ends: .restricted),
  ]

  @Test(arguments: rows)
  func `each transition of authorization causes the expected callbacks`(row: Row) {
    var driver = MachineDriver(row.status, accuracy: row.accuracy)
    _ = driver.call(row.given)
    #expect(driver.call(row.when) == row.then)
    #expect(driver.machine.authorization.effective == row.ends)
    #expect((driver.machine.authorization.pending != nil) == row.isPending)
  }

  @Test func `the transition table has a row for each number from 1 to 33`() {
    #expect(Set(Self.rows.map(\.number)) == Set(1...33))
  }
}
