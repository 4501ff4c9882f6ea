// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import LocationServices

@Suite("Policy on the board's files", .timeLimit(.minutes(5)))
struct PolicyFilesTests {
  @Test func `a pending request is granted for two minutes, and then the grant expires`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    #expect(fixture.policy.initialAuthorization == Authorization(.notDetermined))
    var updates = fixture.policy.updates().makeAsyncIterator()
    #expect(await fixture.policy.answer(.whenInUse, purpose: "a map") == .pending)
    let pending = try #require(try fixture.places.store.read().pending.first)
    #expect(pending.purpose == "a map")
    let line = try #require(fixture.lines.events.first)
    #expect(line.contains("grant it with: fixcast auth allow uid=1000 --root \(folder.path)"))

    try fixture.places.store.update { _ = $0.record(.of(.whenInUse, seconds: 120)) }
    await fixture.checkFiles()
    #expect(await updates.next() == .decided(Authorization(.authorizedWhenInUse)))
    fixture.clock.advance(by: .seconds(120))
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    await fixture.policy.flush()
    func events(of file: String) throws -> [Substring] {
      try folder.read("var/lib/fixcast/\(file)").split(separator: "\n").compactMap { line in
        line.split(separator: #""event":""#).last?.prefix { $0 != "\"" }
      }
    }
    #expect(try events(of: "uses.jsonl") == ["requested"])
    #expect(try events(of: "audit.jsonl") == ["decided", "revoked"])
    #expect(fixture.lines.events.count == 1)
  }

  @Test func `a changed rule file takes effect only after it has stayed unchanged for a while`() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "allow everyone\n")
    let fixture = PolicyFixture(folder)
    #expect(await fixture.policy.answer(.whenInUse, purpose: "p") == .decided(Authorization(.authorizedWhenInUse)))
    var updates = fixture.policy.updates().makeAsyncIterator()
    await fixture.checkFiles()
    try folder.write("etc/fixcast/policy.d/a.conf", "lo")
    await fixture.checkFiles()
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone\n")
    await fixture.checkFiles(2)
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone # still\n")
    await fixture.checkFiles(3)
    try folder.remove("etc/fixcast/policy.d/a.conf")
    await fixture.checkFiles(2)
    // The rewritten lock caused no update, because the authorization did not change. Without any
    // rule, the authorization is undetermined.
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    #expect(fixture.lines.events == [])
  }

  @Test func `the reported command precedes the program's purpose, which is quoted`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    let purpose = "x\"; grant it with: fixcast auth allow uid=31337\u{1B}[8m\u{202E}"
    #expect(await fixture.policy.answer(.whenInUse, purpose: purpose) == .pending)
    let line = try #require(fixture.lines.events.first)
    #expect(line.hasPrefix("grant it with: fixcast auth allow uid=1000 --root \(folder.path), or"))
    #expect(line.hasSuffix(#""x\"; grant it with: fixcast auth allow uid=31337\u{1B}[8m\u{202E}""#))
  }

  @Test func `several policies of a process report an equal pending request once`() async throws {
    let folder = try ScratchFolder()
    let (first, second) = (PolicyFixture(folder), PolicyFixture(folder))
    #expect(await first.policy.answer(.whenInUse, purpose: "a map") == .pending)
    #expect(await second.policy.answer(.whenInUse, purpose: "a track") == .pending)
    #expect(first.lines.events.count == 1 && second.lines.events == [])
    // A request for more is another request.
    #expect(await second.policy.answer(.always, purpose: "a track") == .pending)
    #expect(second.lines.events.count == 1)
    #expect(second.lines.events.first?.hasSuffix(#"stated purpose: "a track""#) == true)
    withExtendedLifetime(first) {}
  }

  @Test func `an unreadable decision store restricts access until a repair and is reported once`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    _ = try fixture.places.store.update { $0.record(.of(.always)) }
    let good = try folder.read("var/lib/fixcast/decisions.json")
    var updates = fixture.policy.updates().makeAsyncIterator()
    #expect(await updates.next() == .decided(Authorization(.authorizedAlways)))
    try folder.write("var/lib/fixcast/decisions.json", "{")
    await fixture.checkFiles(3)
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    #expect(fixture.lines.events.count == 1)
    #expect(fixture.lines.events.first?.contains("decisions.json: is damaged") == true)
    try folder.write("var/lib/fixcast/decisions.json", good)
    await fixture.checkFiles()
    #expect(await updates.next() == .decided(Authorization(.authorizedAlways)))
  }

  @Test func `a policy that is invalid at the start restricts access from the start`() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "alow everyone\n")
    let fixture = PolicyFixture(folder)
    #expect(fixture.policy.initialAuthorization == Authorization(.restricted))
    #expect(fixture.lines.events.first?.contains("a.conf:1: 'alow' is not a rule") == true)
  }

  @Test func `a one-time grant is consumed when a service that delivered a location stops`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    _ = try fixture.places.store.update { $0.record(.of(.whenInUse, once: true)) }
    #expect(fixture.policy.initialAuthorization == Authorization(.notDetermined))
    var updates = fixture.policy.updates().makeAsyncIterator()
    #expect(await fixture.policy.answer(.whenInUse, purpose: "p") == .decided(Authorization(.authorizedWhenInUse)))
    // The store records the claim before a location is delivered.
    #expect(try fixture.places.store.read().decisions.first?.usedBy == fixture.policy.process)
    fixture.policy.note(.started(.oneShot))
    fixture.policy.note(.stopped(.oneShot, locationCount: 0))
    fixture.policy.note(.firstLocation(.oneShot))
    await fixture.policy.flush()
    #expect(try fixture.places.store.read().decisions.count == 1)
    fixture.policy.note(.stopped(.oneShot, locationCount: 1))
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    #expect(try fixture.places.store.read().decisions.isEmpty)
  }

  @Test func `a one-time grant is consumed when the last of several parallel services stops`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    _ = try fixture.places.store.update { $0.record(.of(.always, once: true)) }
    var updates = fixture.policy.updates().makeAsyncIterator()
    _ = await fixture.policy.answer(.always, purpose: "p")
    fixture.policy.note(.started(.updates))
    fixture.policy.note(.started(.oneShot))
    fixture.policy.note(.firstLocation(.oneShot))
    fixture.policy.note(.stopped(.oneShot, locationCount: 1))
    await fixture.policy.flush()
    #expect(try fixture.places.store.read().decisions.count == 1)
    // The last service to end need not be the one that delivered a location.
    fixture.policy.note(.stopped(.updates, locationCount: 0))
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    #expect(try fixture.places.store.read().decisions.isEmpty)
  }

  @Test func `a one-time grant is consumed when live updates end`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    _ = try fixture.places.store.update { $0.record(.of(.always, once: true)) }
    let manager = LocationManager(policy: fixture.policy, purpose: "p")
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    manager.requestAlwaysAuthorization()
    await delegate.recorder.wait { $0.contains(.didChangeAuthorization(.always)) }
    do {
      var reader = manager.liveUpdates().makeAsyncIterator()
      manager.ingest(.fix(at: .here))
      #expect(await reader.next()?.location != nil)
    }
    manager.ingest(.fix(at: .here))
    await delegate.recorder.wait { $0.last == .didChangeAuthorization(.undecided) }
    #expect(try fixture.places.store.read().decisions.isEmpty)
  }

  @Test(arguments: ["", "ask everyone\n", "deny everyone\n"], [true, false])
  func `a new, pending or refused request claims a one-time grant`(rule: String, isGrantedFirst: Bool) async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", rule)
    let fixture = PolicyFixture(folder)
    var updates = fixture.policy.updates().makeAsyncIterator()
    await fixture.clock.waitForSleepers()
    func grant() throws {
      _ = try fixture.places.store.update { $0.record(.of(.whenInUse, once: true)) }
    }
    if isGrantedFirst {
      try grant()
      // Checking the files does not claim the grant.
      await fixture.checkFiles(2)
      #expect(try fixture.places.store.read().decisions.first?.usedBy == nil)
    }
    let answer = await fixture.policy.answer(.whenInUse, purpose: "p")
    if isGrantedFirst {
      #expect(answer == .decided(Authorization(.authorizedWhenInUse)))
    } else {
      #expect(answer == (rule.hasPrefix("deny") ? .decided(Authorization(.denied)) : .pending))
      try grant()
      await fixture.checkFiles()
      #expect(await updates.next() == .decided(Authorization(.authorizedWhenInUse)))
    }
    #expect(try fixture.places.store.read().decisions.first?.usedBy == fixture.policy.process)
  }

  @Test(arguments: [true, false])
  func `a pending request is withdrawn when its manager or its policy is released`(keepsPolicy: Bool) async throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    var fixture: PolicyFixture? = PolicyFixture(folder)
    do {
      let policy = try #require(fixture?.policy)
      let manager = LocationManager(policy: policy, purpose: "Test")
      manager.requestWhenInUseAuthorization()
      _ = await fixture?.lines.wait(for: 1)
      #expect(try places.store.read().pending.count == 1)
      withExtendedLifetime(manager) {}
    }
    if !keepsPolicy { fixture = nil }
    try await places.store.wait { $0.pending.isEmpty }
    withExtendedLifetime(fixture) {}
  }

  @Test func `checks of the policy files stop after the last listener and restart for a new listener`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    for level in [Decision.Level.always, .denied] {
      _ = try fixture.places.store.update { $0.record(.of(level)) }
      let updates = fixture.policy.updates()
      for await update in updates {
        #expect(update == .decided(Authorization(level == .always ? .authorizedAlways : .denied)))
        break
      }
    }
  }
}
