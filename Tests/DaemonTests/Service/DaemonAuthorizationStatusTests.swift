// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Daemon
@testable import LocationServices

@Suite("Authorization of the daemon's own sinks")
struct DaemonAuthorizationStatusTests {
  private static let client = ClientIdentity(userID: 990, systemUnit: "fixcast.service")
  private static let allow = "fixcast auth allow uid=990 unit=fixcast.service --always"

  private static func status(
    _ authorization: Authorization, _ origin: AuthorizationVerdict.Origin = .undecided
  ) -> DaemonAuthorizationStatus? {
    DaemonAuthorizationStatus(
      .init(authorization: authorization, origin: origin), of: client, at: PolicyPaths())
  }

  @Test func `no limit is reported if the daemon's sinks have full accuracy`() {
    #expect(Self.status(Authorization(.authorizedAlways)) == nil)
    #expect(Self.status(Authorization(.authorizedWhenInUse)) == nil)
  }

  @Test func `a limit on the daemon's sinks is reported with its origin and the correction`() throws {
    let refused = try #require(Self.status(Authorization(.denied)))
    #expect(refused.limit == .nothing && refused.change == Self.allow)
    let reduced = try #require(
      Self.status(Authorization(.authorizedAlways, accuracy: .reducedAccuracy)))
    #expect(reduced.limit == .reduced && reduced.change == Self.allow)
    let off = try #require(Self.status(Authorization(.denied), .switchedOff))
    #expect(off.limit == .nothing && off.change == "fixcast auth reset everyone")
    let rules = PolicyRules(reading: Array("lock everyone".utf8), as: "/p.conf")
    let rule = try #require(rules.administrator.first)
    #expect(Self.status(Authorization(.restricted), .lock(rule))?.change == "edit /p.conf:1")
  }

  @Test func `a limit on the daemon's sinks is shown in the report and in the status line`() {
    var report = DaemonReport()
    report.authorizationLimit = Self.status(Authorization(.denied), .switchedOff)
    let now = MonotonicTime(nanoseconds: 0)
    let object =
      #""sinks":{"get":"nothing","status":"denied","by":"location is switched off for the "#
      + #"whole board","change":"fixcast auth reset everyone"}"#
    let text = String(decoding: report.json(now: now), as: UTF8.self)
    #expect(text.contains(object), "\(text)")
    #expect(report.summary(now: now).contains("sinks get nothing: denied"))
  }
}
