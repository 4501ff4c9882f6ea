// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Synchronization
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Policy files with change notifications of the kernel", .timeLimit(.minutes(5)))
struct PolicyFilesNotificationTests {
  @Test func `a kernel notification makes a revocation or a lock apply long before the next check`() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 1000), places: places, interval: .seconds(3600),
      report: { _ in })
    var updates = policy.updates().makeAsyncIterator()
    let clock = ContinuousClock()
    var delays: [Duration] = []
    for level in [Decision.Level.always, .denied, .always, .denied, .always] {
      // The first check may already detect the first change.
      let start = clock.now
      _ = try places.store.update { $0.record(.of(level)) }
      let expected = Authorization(level == .always ? .authorizedAlways : .denied)
      #expect(await updates.next() == .decided(expected))
      delays.append(start.duration(to: clock.now))
    }
    let start = clock.now
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone\n")
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    delays.append(start.duration(to: clock.now))
    // The delay is below 0.1 s on an idle machine; it is printed, not asserted.
    print("delays: \(delays.map { "\($0 / .milliseconds(1)) ms" }.joined(separator: ", "))")
  }

  @Test func `policy files are not checked without a change, or when other processes write the log`() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    try folder.makeFolder("var/lib/fixcast")
    // A clock that the test never advances.
    let clock = ManualClock()
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 1000), places: places, clock: clock, report: { _ in })
    var updates = policy.updates().makeAsyncIterator()
    await clock.waitForSleepers()
    for number in 0..<200 {
      try places.audit.append(AuditEvent(.started, at: Int64(number), client: "uid=1"))
    }
    _ = try places.store.update { $0.record(.of(.always)) }
    #expect(await updates.next() == .decided(Authorization(.authorizedAlways)))
    await policy.flush()
    let checks = policy.store.checkCount
    #expect((2...6).contains(checks), "\(checks)")
  }

  @Test func `a rule file that is a symbolic link is checked twice a second`() async throws {
    let folder = try ScratchFolder()
    try folder.write("target", "deny everyone\n")
    try folder.makeFolder("etc/fixcast/policy.d")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/etc/fixcast/policy.d/a.conf",
      withDestinationPath: folder.path + "/target")
    let clock = ManualClock()
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 1000), places: PolicyPaths(root: folder.path), clock: clock,
      report: { _ in })
    var updates = policy.updates().makeAsyncIterator()
    await clock.waitForSleepers()
    try folder.write("target", "lock everyone\n")
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(500))
    }
    #expect(await updates.next() == .decided(Authorization(.restricted)))
  }
}
