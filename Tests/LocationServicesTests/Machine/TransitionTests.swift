// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

/// The table of transitions, row by row, with the callbacks in order.
@Suite("Transitions of authorization")
struct TransitionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    typealias Event = LocationMachine.Event

    var number: Int
    var title: String
    var status: AuthorizationStatus = .notDetermined
    var accuracy: AccuracyAuthorization = .fullAccuracy
    /// What happened before, whose callbacks do not matter.
    var given: [Event] = []
    var when: [Event]
    var then: [LocationCallback]
    var ends: Authorization
    var isPending = false

    var testDescription: String { "\(number): \(title)" }
  }

  private static let region = CircularRegion(
    center: Location.here.coordinate, radiusMeters: 200, identifier: "home")
  private static let asked: [Row.Event] = [
    .requestAuthorization(.whenInUse), .answered(1, .pending),
  ]
  private static let fix: Row.Event = .location(.here)
  private static let told: LocationCallback = .didUpdateLocations([.here])
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
      number: 2, title: "asked, and allowed by default",
      when: [.requestAuthorization(.whenInUse), .answered(1, .decided(.inUse))],
      then: [changed(.inUse)], ends: .inUse),
    Row(
      number: 3, title: "asked, and somebody has to answer", when: asked, then: [],
      ends: .undecided, isPending: true),
    Row(
      number: 4, title: "asked, and denied by default",
      when: [.requestAuthorization(.whenInUse), .answered(1, .decided(.denied))],
      then: [changed(.denied)], ends: .denied),
    Row(
      number: 5, title: "asked again while pending", given: asked,
      when: [.requestAuthorization(.whenInUse), .requestAuthorization(.always)], then: [],
      ends: .undecided, isPending: true),
    Row(
      number: 6, title: "pending, allowed in use", given: asked + [.start(.updates)],
      when: [fix, .policy(.decided(.inUse)), fix], then: [changed(.inUse), told], ends: .inUse),
    Row(
      number: 6, title: "pending, allowed always", given: asked,
      when: [.policy(.decided(.always))], then: [changed(.always)], ends: .always),
    Row(
      number: 7, title: "pending, denied, with two services started",
      given: asked + [.start(.updates), .start(.visits)],
      when: [.policy(.refused(.whenInUse)), fix], then: [changed(.denied), denied, denied],
      ends: .denied),
    Row(
      number: 7, title: "pending, denied, with a one-shot request",
      given: asked + [.requestLocation],
      when: [.policy(.decided(.denied)), .timedOut(.oneShot(1))],
      then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 7, title: "pending, denied, with a region", given: asked + [.startMonitoring(region)],
      when: [.policy(.decided(.denied))], then: [changed(.denied), regionDenied], ends: .denied),
    Row(
      number: 8, title: "pending, and nobody answers in time",
      given: asked + [.requestLocation],
      when: [.timedOut(.oneShot(1)), .policy(.lapsed(.whenInUse))], then: [unknown],
      ends: .undecided),
    Row(
      number: 9, title: "updates started while undecided begin with the grant",
      when: [
        .start(.updates), fix, .requestAuthorization(.whenInUse), .answered(1, .decided(.inUse)),
        fix,
      ], then: [changed(.inUse), told], ends: .inUse),
    Row(
      number: 10, title: "one location wanted while undecided, and nobody asked",
      when: [.requestLocation, fix, .timedOut(.oneShot(1))], then: [denied], ends: .undecided),
    Row(
      number: 11, title: "asked while denied", status: .denied,
      when: [.requestAuthorization(.whenInUse), .requestAuthorization(.always)], then: [],
      ends: .denied),
    Row(
      number: 11, title: "asked while restricted", status: .restricted,
      when: [.requestAuthorization(.whenInUse), .requestAuthorization(.always)], then: [],
      ends: .restricted),
    Row(
      number: 12, title: "the upgrade is asked for and waits", status: .authorizedWhenInUse,
      when: [.requestAuthorization(.always), .answered(1, .pending)], then: [], ends: .inUse,
      isPending: true),
    Row(
      number: 12, title: "the upgrade is allowed", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always), .answered(1, .pending)],
      when: [.policy(.decided(.always))], then: [changed(.always)], ends: .always),
    Row(
      number: 12, title: "the upgrade is refused", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always), .answered(1, .pending)],
      when: [.policy(.refused(.always))], then: [], ends: .inUse),
    Row(
      number: 12, title: "the upgrade is answered by what was taken back meanwhile",
      status: .authorizedWhenInUse, given: [.start(.updates), .requestAuthorization(.always)],
      when: [.answered(1, .decided(.denied)), fix], then: [changed(.denied), denied],
      ends: .denied),
    Row(
      number: 12, title: "the upgrade is answered by a lock", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always)], when: [.answered(1, .decided(.restricted))],
      then: [changed(.restricted)], ends: .restricted),
    Row(
      number: 12, title: "the upgrade is answered by what is granted already",
      status: .authorizedWhenInUse, given: [.requestAuthorization(.always)],
      when: [.answered(1, .decided(.inUse))], then: [], ends: .inUse),
    Row(
      number: 12, title: "the upgrade is answered by a narrowing",
      status: .authorizedWhenInUse, given: [.requestAuthorization(.always)],
      when: [
        .answered(
          1, .decided(Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)))
      ],
      then: [changed(Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy))],
      ends: Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)),
    Row(
      number: 13, title: "the upgrade is asked for again", status: .authorizedWhenInUse,
      given: [.requestAuthorization(.always), .policy(.refused(.always))],
      when: [.requestAuthorization(.always), .requestAuthorization(.whenInUse)], then: [],
      ends: .inUse),
    Row(
      number: 14, title: "one location, and there is one", status: .authorizedWhenInUse,
      when: [.requestLocation, fix, fix, .timedOut(.oneShot(1))], then: [told], ends: .inUse),
    Row(
      number: 14, title: "one location, and there is none", status: .authorizedAlways,
      when: [.requestLocation, .timedOut(.oneShot(1)), .timedOut(.oneShot(1)), fix],
      then: [unknown], ends: .always),
    Row(
      number: 15, title: "one location wanted while updates run", status: .authorizedAlways,
      given: [.start(.updates)], when: [.requestLocation, .timedOut(.oneShot(1))], then: [],
      ends: .always),
    Row(
      number: 16, title: "updates started while one location is wanted",
      status: .authorizedAlways, given: [.requestLocation],
      when: [.start(.updates), .timedOut(.oneShot(1)), fix, fix], then: [told, told],
      ends: .always),
    Row(
      number: 17, title: "updates stopped", status: .authorizedAlways, given: [.start(.updates)],
      when: [.stop(.updates), fix], then: [], ends: .always),
    Row(
      number: 17, title: "stopped while one location is wanted", status: .authorizedAlways,
      given: [.requestLocation], when: [.stop(.updates), fix, .timedOut(.oneShot(1))], then: [],
      ends: .always),
    Row(
      number: 18, title: "an outage, once, and the end of it", status: .authorizedAlways,
      given: [.start(.updates)],
      when: [.positionLost, .positionLost, fix, .positionLost], then: [unknown, told, unknown],
      ends: .always),
    Row(
      number: 19, title: "in use while updates are started, and no longer",
      status: .authorizedWhenInUse, given: [.start(.updates)],
      when: [fix, .stop(.updates), fix], then: [told], ends: .inUse),
    Row(
      number: 20, title: "revoked while active", status: .authorizedAlways,
      given: [.start(.updates), .start(.visits)],
      when: [.policy(.decided(.denied)), fix], then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 20, title: "switched off for the whole board", status: .authorizedWhenInUse,
      given: [.requestLocation], when: [.policy(.deniedGlobally), fix, .timedOut(.oneShot(1))],
      then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 20, title: "revoked while regions alone are active", status: .authorizedAlways,
      given: [.startMonitoring(region)], when: [.policy(.decided(.denied)), fix],
      then: [changed(.denied), regionDenied], ends: .denied),
    Row(
      number: 20, title: "revoked while updates and a region are active",
      status: .authorizedAlways, given: [.start(.updates), .startMonitoring(region)],
      when: [.policy(.decided(.denied)), .policy(.decided(.restricted))],
      then: [changed(.denied), denied, regionDenied, changed(.restricted)], ends: .restricted),
    Row(
      number: 20, title: "revoked after regions ended by reduced accuracy",
      status: .authorizedAlways,
      given: [.startMonitoring(region), .policy(.decided(.reducedAlways))],
      when: [.policy(.decided(.denied))], then: [changed(.denied)], ends: .denied),
    Row(
      number: 20, title: "revoked while idle", status: .authorizedAlways,
      when: [.policy(.decided(.denied))], then: [changed(.denied)], ends: .denied),
    Row(
      number: 21, title: "locked while a request is pending",
      given: asked + [.start(.updates)],
      when: [.policy(.decided(.restricted)), .answered(1, .decided(.inUse))],
      then: [changed(.restricted), denied], ends: .restricted),
    Row(
      number: 21, title: "locked while active", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.restricted)), fix],
      then: [changed(.restricted), denied], ends: .restricted),
    Row(
      number: 21, title: "locked when nothing is active any more", status: .denied,
      when: [.policy(.decided(.restricted))], then: [changed(.restricted)], ends: .restricted),
    Row(
      number: 22, title: "unlocked, to what was decided before", status: .restricted,
      when: [.policy(.decided(.inUse))], then: [changed(.inUse)], ends: .inUse),
    Row(
      number: 22, title: "unlocked, and nothing was decided", status: .restricted,
      when: [.policy(.decided(.undecided))], then: [changed(.undecided)], ends: .undecided),
    Row(
      number: 23, title: "the denial is reset, and what was started goes on later",
      status: .authorizedAlways, given: [.start(.updates), .policy(.decided(.denied))],
      when: [.policy(.decided(.undecided)), fix, .policy(.decided(.inUse)), fix],
      then: [changed(.undecided), changed(.inUse), told], ends: .inUse),
    Row(
      number: 24, title: "allowed after a denial", status: .denied,
      given: [.start(.updates)], when: [.policy(.decided(.always)), fix],
      then: [changed(.always), told], ends: .always),
    Row(
      number: 25, title: "the grant expires, to be asked again", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.undecided)), fix],
      then: [changed(.undecided), denied], ends: .undecided),
    Row(
      number: 25, title: "the grant expires, for good", status: .authorizedWhenInUse,
      given: [.requestLocation],
      when: [.policy(.decided(.denied)), .timedOut(.oneShot(1))],
      then: [changed(.denied), denied], ends: .denied),
    Row(
      number: 26, title: "narrowed to in use", status: .authorizedAlways,
      given: [.start(.updates)], when: [fix, .policy(.decided(.inUse)), fix],
      then: [told, changed(.inUse), told], ends: .inUse),
    Row(
      number: 27, title: "full to reduced, with a region", status: .authorizedAlways,
      given: [.startMonitoring(region)], when: [.policy(.decided(.reducedAlways))],
      then: [
        changed(.reducedAlways), .monitoringDidFail(region, .regionMonitoringDenied),
      ], ends: .reducedAlways),
    Row(
      number: 27, title: "reduced to full", status: .authorizedAlways,
      accuracy: .reducedAccuracy, given: [.start(.updates)],
      when: [.policy(.decided(.always)), fix], then: [changed(.always), told], ends: .always),
    Row(
      number: 28, title: "full accuracy for a while, and its end", status: .authorizedAlways,
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
      number: 28, title: "full accuracy for a while, refused", status: .authorizedAlways,
      accuracy: .reducedAccuracy,
      when: [
        .requestFullAccuracy(id: 7, key: "map"),
        .answeredFullAccuracy(number: 1, id: 7, .declined),
      ], then: [.didAnswerFullAccuracy(id: 7, .promptDeclined)], ends: .reducedAlways),
    Row(
      number: 29, title: "started while denied", status: .denied, when: [.start(.updates), fix],
      then: [denied], ends: .denied),
    Row(
      number: 29, title: "one location wanted while restricted", status: .restricted,
      when: [.requestLocation, fix, .timedOut(.oneShot(1))], then: [denied], ends: .restricted),
    Row(
      number: 30, title: "evaluated again, to the same", status: .authorizedAlways,
      given: [.start(.updates)], when: [.policy(.decided(.always)), fix], then: [told],
      ends: .always),
    Row(
      number: 30, title: "evaluated again, to something else", status: .authorizedAlways,
      when: [.policy(.decided(.inUse))], then: [changed(.inUse)], ends: .inUse),
    Row(
      number: 31, title: "the policy is read anew without effect, while a request is pending",
      given: asked, when: [.policy(.decided(.undecided)), .policy(.decided(.undecided))],
      then: [], ends: .undecided, isPending: true),
    Row(
      number: 32, title: "the program is gone", given: asked + [.start(.updates)],
      when: [.disconnected, .answered(1, .decided(.undecided)), fix], then: [],
      ends: .undecided),
    Row(
      number: 32, title: "the program is gone, and its full accuracy with it",
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

  @Test("follow the table", arguments: rows)
  func follows(row: Row) {
    var driver = MachineDriver(row.status, accuracy: row.accuracy)
    _ = driver.call(row.given)
    #expect(driver.call(row.when) == row.then)
    #expect(driver.machine.authorization.effective == row.ends)
    #expect((driver.machine.authorization.pending != nil) == row.isPending)
  }

  @Test("leave out no row of the table")
  func complete() {
    #expect(Set(Self.rows.map(\.number)) == Set(1...33))
  }
}
