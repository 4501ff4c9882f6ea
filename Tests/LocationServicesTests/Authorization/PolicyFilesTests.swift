// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Synchronization
import Testing

@testable import LocationServices

@Suite("The policy of the board's files", .timeLimit(.minutes(1)))
struct PolicyFilesTests {
  /// A policy over a folder of its own, whose clock a test moves.
  private final class Bench: Sendable {
    let policy: PolicyFiles
    let clock = ManualClock()
    let places: PolicyPlaces
    let lines = EventRecorder<String>()
    private let time: Mutex<BoardTime>

    init(_ folder: borrowing ScratchFolder, unit: String? = nil) {
      let places = PolicyPlaces(root: folder.path)
      self.places = places
      let start = BoardTime.noon
      time = Mutex(start)
      let (clock, lines) = (clock, lines)
      policy = PolicyFiles(
        client: ClientIdentity(userID: 1000, systemUnit: unit), places: places,
        interval: .seconds(1), usesInotify: false, clock: clock,
        now: { start.advanced(bySeconds: Int64(clock.now.offset.components.seconds)) },
        report: { lines.record($0) })
    }

    /// Lets the policy look at its files, that many times.
    func look(_ times: Int = 1) async {
      for _ in 0..<times {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
      }
      await clock.waitForSleepers()
    }
  }

  @Test("asks, waits, is granted for two minutes, and loses it when they are over")
  func wholeWay() async throws {
    let folder = try ScratchFolder()
    let bench = Bench(folder)
    #expect(bench.policy.initialAuthorization == Authorization(.notDetermined))
    var updates = bench.policy.updates().makeAsyncIterator()
    #expect(await bench.policy.answer(.whenInUse, purpose: "a map") == .pending)
    let pending = try #require(try bench.places.store.read().pending.first)
    #expect(pending.purpose == "a map")
    let line = try #require(bench.lines.events.first)
    #expect(line.contains("grant it with: fixcast auth allow uid=1000 --root \(folder.path)"))

    try bench.places.store.update { _ = $0.record(.of(.whenInUse, seconds: 120)) }
    await bench.look()
    #expect(await updates.next() == .decided(Authorization(.authorizedWhenInUse)))
    bench.clock.advance(by: .seconds(120))
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    await bench.policy.flush()
    let log = try folder.read("var/lib/fixcast/audit.jsonl")
    let events = log.split(separator: "\n").compactMap { line in
      line.split(separator: #""event":""#).last?.prefix { $0 != "\"" }
    }
    #expect(events == ["requested", "decided", "revoked"])
    #expect(bench.lines.events.count == 1)
  }

  @Test("a rule that an editor is still writing does not count until it stays as it is")
  func debounces() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "allow everyone\n")
    let bench = Bench(folder)
    #expect(
      await bench.policy.answer(.whenInUse, purpose: "p")
        == .decided(Authorization(.authorizedWhenInUse)))
    var updates = bench.policy.updates().makeAsyncIterator()
    await bench.look()
    try folder.write("etc/fixcast/policy.d/a.conf", "lo")
    await bench.look()
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone\n")
    await bench.look(2)
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone # still\n")
    await bench.look(3)
    try folder.remove("etc/fixcast/policy.d/a.conf")
    await bench.look(2)
    // Nothing between: what changes nothing is not told. The default is to be asked for anew.
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    #expect(bench.lines.events == [])
  }

  @Test("what cannot be read restricts, is said once, and is over when it is mended")
  func failsClosed() async throws {
    let folder = try ScratchFolder()
    let bench = Bench(folder)
    _ = try bench.places.store.update { $0.record(.of(.always)) }
    let good = try folder.read("var/lib/fixcast/decisions.json")
    var updates = bench.policy.updates().makeAsyncIterator()
    #expect(await updates.next() == .decided(Authorization(.authorizedAlways)))
    try folder.write("var/lib/fixcast/decisions.json", "{")
    await bench.look(3)
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    #expect(bench.lines.events.count == 1)
    #expect(bench.lines.events.first?.contains("decisions.json: is damaged") == true)
    try folder.write("var/lib/fixcast/decisions.json", good)
    await bench.look()
    #expect(await updates.next() == .decided(Authorization(.authorizedAlways)))
  }

  @Test("a policy that is broken from the start restricts from the start")
  func brokenFromStart() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", "alow everyone\n")
    let bench = Bench(folder)
    #expect(bench.policy.initialAuthorization == Authorization(.restricted))
    #expect(bench.lines.events.first?.contains("a.conf:1: 'alow' is no rule") == true)
  }

  @Test("a grant that serves once is used up by one use")
  func once() async throws {
    let folder = try ScratchFolder()
    let bench = Bench(folder)
    var grant = Decision.of(.whenInUse)
    grant.servesOnce = true
    _ = try bench.places.store.update { [grant] in $0.record(grant) }
    #expect(bench.policy.initialAuthorization == Authorization(.notDetermined))
    var updates = bench.policy.updates().makeAsyncIterator()
    #expect(
      await bench.policy.answer(.whenInUse, purpose: "p")
        == .decided(Authorization(.authorizedWhenInUse)))
    // The store knows whose it is before anything is delivered.
    #expect(try bench.places.store.read().decisions.first?.usedBy == bench.policy.process)
    bench.policy.note(.started(.oneShot))
    bench.policy.note(.stopped(.oneShot, locationCount: 0))
    bench.policy.note(.firstLocation(.oneShot))
    await bench.policy.flush()
    #expect(try bench.places.store.read().decisions.count == 1)
    bench.policy.note(.stopped(.oneShot, locationCount: 1))
    #expect(await updates.next() == .decided(Authorization(.notDetermined)))
    #expect(try bench.places.store.read().decisions.isEmpty)
  }

  @Test(
    "a grant that serves once is taken by who asks, who waits, or whom a default has refused",
    arguments: ["", "ask everyone\n", "deny everyone\n"], [true, false])
  func onceTaken(rule: String, isGivenFirst: Bool) async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/a.conf", rule)
    let bench = Bench(folder)
    var updates = bench.policy.updates().makeAsyncIterator()
    await bench.clock.waitForSleepers()
    func give() throws {
      var grant = Decision.of(.whenInUse)
      grant.servesOnce = true
      _ = try bench.places.store.update { [grant] in $0.record(grant) }
    }
    if isGivenFirst {
      try give()
      // Looking alone takes nothing.
      await bench.look(2)
      #expect(try bench.places.store.read().decisions.first?.usedBy == nil)
    }
    let answer = await bench.policy.answer(.whenInUse, purpose: "p")
    if isGivenFirst {
      #expect(answer == .decided(Authorization(.authorizedWhenInUse)))
    } else {
      #expect(answer == (rule.hasPrefix("deny") ? .decided(Authorization(.denied)) : .pending))
      try give()
      await bench.look()
      #expect(await updates.next() == .decided(Authorization(.authorizedWhenInUse)))
    }
    #expect(try bench.places.store.read().decisions.first?.usedBy == bench.policy.process)
  }

  @Test("what a program waited for goes with it")
  func withdraws() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPlaces(root: folder.path)
    do {
      let bench = Bench(folder)
      _ = await bench.policy.answer(.whenInUse, purpose: "p")
      #expect(try places.store.read().pending.count == 1)
    }
    // Written behind; each look takes a while, so that this many are seconds.
    var looks = 0
    while looks < 100_000, try !places.store.read().pending.isEmpty {
      looks += 1
      await Task.yield()
    }
    #expect(try places.store.read().pending.isEmpty)
  }

  @Test("a listener that goes ends the looking, and a new one begins it again")
  func listensAgain() async throws {
    let folder = try ScratchFolder()
    let bench = Bench(folder)
    for level in [Decision.Level.always, .denied] {
      _ = try bench.places.store.update { $0.record(.of(level)) }
      let updates = bench.policy.updates()
      for await update in updates {
        #expect(update == .decided(Authorization(level == .always ? .authorizedAlways : .denied)))
        break
      }
    }
  }

  @Test("a service is not in use by itself, a person's program is")
  func inUse() throws {
    let folder = try ScratchFolder()
    #expect(Bench(folder).policy.isInUse)
    #expect(!Bench(folder, unit: "a.service").policy.isInUse)
  }

  @Test("decides on a plain request as long as an operator takes")
  func decides() async throws {
    let folder = try ScratchFolder()
    let bench = Bench(folder)
    // Goes on listening, whenever the answer is seen.
    let updates = bench.policy.updates()
    defer { withExtendedLifetime(updates) {} }
    async let decision = bench.policy.decide(.whenInUse)
    _ = await bench.lines.wait(for: 1)
    _ = try bench.places.store.update { $0.record(.of(.denied)) }
    await bench.look()
    #expect(await decision == Authorization(.denied))
  }
}
