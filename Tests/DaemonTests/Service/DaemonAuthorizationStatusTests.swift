// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Daemon
@testable import LocationServices

@Suite("What the daemon's own sinks get")
struct DaemonAuthorizationStatusTests {
  private static let client = ClientIdentity(userID: 990, systemUnit: "fixcast.service")
  private static let allow = "fixcast auth allow uid=990 unit=fixcast.service --always"

  private static func use(
    _ authorization: Authorization, _ origin: AuthorizationVerdict.Origin = .nobody
  ) -> DaemonAuthorizationStatus? {
    DaemonAuthorizationStatus(
      .init(authorization: authorization, origin: origin), of: client, at: PolicyPaths())
  }

  @Test("nothing is said where they get all")
  func all() {
    #expect(Self.use(Authorization(.authorizedAlways)) == nil)
    #expect(Self.use(Authorization(.authorizedWhenInUse)) == nil)
  }

  @Test("what is kept from them is said with the word that decided and what changes it")
  func less() throws {
    let refused = try #require(Self.use(Authorization(.denied)))
    #expect(refused.limit == .nothing && refused.change == Self.allow)
    let rough = try #require(
      Self.use(Authorization(.authorizedAlways, accuracy: .reducedAccuracy)))
    #expect(rough.limit == .reduced && rough.change == Self.allow)
    let off = try #require(Self.use(Authorization(.denied), .switchedOff))
    #expect(off.limit == .nothing && off.change == "fixcast auth reset everyone")
    let rules = PolicyRules(reading: Array("lock everyone".utf8), as: "/p.conf")
    let rule = try #require(rules.administrator.first)
    #expect(Self.use(Authorization(.restricted), .lock(rule))?.change == "edit /p.conf:1")
  }

  @Test("is in the report, and in a few words in the line for the service manager")
  func report() {
    var report = DaemonReport()
    report.ownAuthorization = Self.use(Authorization(.denied), .switchedOff)
    let now = MonotonicTime(nanoseconds: 0)
    let object =
      #""sinks":{"get":"nothing","status":"denied","by":"location is switched off for the "#
      + #"whole board","change":"fixcast auth reset everyone"}"#
    let text = String(decoding: report.json(now: now), as: UTF8.self)
    #expect(text.contains(object), "\(text)")
    #expect(report.summary(now: now).contains("sinks get nothing: denied"))
  }
}
