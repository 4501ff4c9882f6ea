// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import Synchronization
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Policy store of many policies", .timeLimit(.minutes(5)))
struct PolicyStoreTests {
  private let clock = ManualClock()

  private func store(
    _ places: PolicyPaths, files: PolicySnapshot.Files = PolicySnapshot.Files()
  ) -> PolicyStore {
    PolicyStore(places: places, usesInotify: false, clock: clock, files: files, now: { .noon }, report: { _ in })
  }

  private func policy(_ user: UInt32, _ store: PolicyStore) -> PolicyFiles {
    let process = ProcessToken(process: Int32(user), startTicks: 1, boot: "b1")
    return PolicyFiles(client: ClientIdentity(userID: user), process: process, store: store, base: nil)
  }

  @Test func `a changed file is read once for 20 policies`() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    let reads = Mutex(0)
    var files = PolicySnapshot.Files()
    files.decisions = { [read = files.decisions] store in
      reads.withLock { $0 += 1 }
      return read(store)
    }
    let store = store(places, files: files)
    let users = 1000..<UInt32(1020)
    let policies = users.map { policy($0, store) }
    var updates = policies.map { $0.updates() }
    await store.flush()
    await clock.waitForSleepers()
    _ = try places.store.update { ledger in
      for user in users { _ = ledger.record(.of(.always, ClientSelector(userID: user))) }
    }
    let before = reads.withLock { $0 }
    clock.advance(by: .milliseconds(500))
    for index in updates.indices {
      var iterator = updates[index].makeAsyncIterator()
      #expect(await iterator.next() == .decided(Authorization(.authorizedAlways)))
    }
    #expect(reads.withLock { $0 } == before + 1)
    // Without followers, the store has no timer.
    updates = []
    await clock.waitUntilNoSleepers()
    withExtendedLifetime(policies) {}
  }

  @Test func `new rules apply at once to a request, and to other clients when they have settled`() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "allow everyone\n")
    let store = store(PolicyPaths(root: folder.path))
    let (asking, other) = (policy(1000, store), policy(1001, store))
    let listening = asking.listen { _ in }
    var updates = other.updates().makeAsyncIterator()
    let allowed = AuthorizationAnswer.decided(Authorization(.authorizedAlways))
    #expect(await asking.answer(.always, purpose: "p") == allowed)
    #expect(await other.answer(.always, purpose: "p") == allowed)
    await clock.waitForSleepers()
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone\n")
    #expect(await asking.answer(.always, purpose: "p") == .decided(Authorization(.restricted)))
    clock.advance(by: .milliseconds(500))
    await clock.waitForSleepers()
    #expect(asking.lastReportedVerdict.authorization.status == .restricted)
    #expect(other.lastReportedVerdict.authorization.status == .authorizedAlways)
    clock.advance(by: .milliseconds(50))
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    #expect(asking.lastReportedVerdict.authorization.status == .restricted)
    listening.end()
  }

  @Test func `new rules that are changed back no longer apply to the client that has read them`() async throws {
    let folder = try ScratchFolder()
    try folder.write("v1/a.conf", "deny everyone\n")
    try folder.write("v2/a.conf", "allow everyone\n")
    try folder.makeFolder("etc/fixcast")
    func select(_ version: String) throws {
      let (link, new) = (folder.path + "/etc/fixcast/policy.d", folder.path + "/new")
      try #require(symlink(folder.path + "/" + version, new) == 0 && rename(new, link) == 0)
    }
    try select("v1")
    let store = store(PolicyPaths(root: folder.path))
    let policy = policy(1000, store)
    var updates = policy.updates().makeAsyncIterator()
    #expect(await policy.answer(.always, purpose: "p") == .decided(Authorization(.denied)))
    try select("v2")
    #expect(await policy.answer(.always, purpose: "p") == .decided(Authorization(.authorizedAlways)))
    try select("v1")
    await clock.waitForSleepers()
    clock.advance(by: .milliseconds(500))
    #expect(await updates.next() == .decided(Authorization(.denied)))
  }

  @Test func `a configured process follows the store that enforces the policy, which the log says`() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "allow uid=990\n")
    let store = PolicyStore(enforcing: PolicyPaths(root: folder.path), now: { .noon }, report: { _ in })
    let policy = PolicyFiles(configured: ClientIdentity(userID: 990), store: store)
    _ = await policy.answer(.always, purpose: "p")
    policy.note(.started(.updates))
    await store.flush()
    #expect(try folder.read("var/lib/fixcast/uses.jsonl").contains(#""mode":"enforced""#))
  }
}
