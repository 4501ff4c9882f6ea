// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Synchronization
import Testing

@testable import LocationServices

@Suite("Folders, watched by the kernel", .timeLimit(.minutes(1)))
struct FolderWatchTests {
  private func begin(
    _ path: String, _ told: EventRecorder<FolderWatch.Event>
  ) -> FolderWatch? {
    FolderWatch([.init(path: path, suffix: ".conf")]) { told.record($0) }
  }

  @Test("tell of files that are written, replaced, renamed, forbidden and removed")
  func files() async throws {
    let folder = try ScratchFolder()
    let told = EventRecorder<FolderWatch.Event>()
    let watch = try #require(begin(folder.path, told))
    let file = folder.path + "/a.conf"
    for change: () throws -> Void in [
      { try Data("x".utf8).write(to: URL(filePath: file)) },
      { try Data("y".utf8).write(to: URL(filePath: file), options: .atomic) },
      { #expect(chmod(file, 0) == 0) }, { #expect(rename(file, folder.path + "/b.conf") == 0) },
      { #expect(rename(folder.path + "/b.conf", folder.path + "/other") == 0) },
      { #expect(rename(folder.path + "/other", file) == 0) }, { #expect(unlink(file) == 0) },
    ] {
      // One change may be told of in pieces; nothing comes between two.
      let before = told.events.count
      try change()
      #expect(await told.wait { $0.count > before }.count > before)
      try await settle(told)
    }
    withExtendedLifetime(watch) {}
  }

  /// Waits until a change that comes last has been told of, so that none before it can follow.
  private func settle(_ told: EventRecorder<FolderWatch.Event>) async throws {
    var count = -1
    while count != told.events.count {
      count = told.events.count
      for _ in 0..<200 { await Task.yield() }
    }
  }

  @Test("tell nothing of other files")
  func others() async throws {
    let folder = try ScratchFolder()
    let told = EventRecorder<FolderWatch.Event>()
    let watch = try #require(begin(folder.path, told))
    for number in 0..<100 { try folder.write("audit-\(number).jsonl", "x") }
    try folder.write("a.conf", "x")
    await told.wait(for: 1)
    // Made, written, closed; and perhaps under another name before.
    #expect(told.events.count <= 6)
    withExtendedLifetime(watch) {}
  }

  @Test("wait for a folder that is not there, and for one that goes and comes again")
  func folders() async throws {
    let folder = try ScratchFolder()
    let told = EventRecorder<FolderWatch.Event>()
    let watch = try #require(begin(folder.path + "/etc/fixcast/policy.d", told))
    for round in 0..<3 {
      let before = told.events.count
      try folder.write("etc/fixcast/policy.d/a.conf", "round \(round)")
      #expect(await told.wait { $0.count > before }.count > before)
      try await settle(told)
      let made = told.events.count
      try folder.write("etc/fixcast/policy.d/a.conf", "more")
      #expect(await told.wait { $0.count > made }.count > made)
      try await settle(told)
      let written = told.events.count
      try folder.remove("etc/fixcast")
      #expect(await told.wait { $0.count > written }.count > written)
      try await settle(told)
    }
    withExtendedLifetime(watch) {}
  }

  @Test("leave no thread and no descriptor behind")
  func ends() async throws {
    let folder = try ScratchFolder()
    func inotifyCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
          .contains("inotify") == true
      }
    }
    let before = try inotifyCount()
    do {
      let watches = (0..<10).compactMap { _ in begin(folder.path, EventRecorder()) }
      #expect(watches.count == 10)
      #expect(try inotifyCount() >= before + 10)
    }
    while try inotifyCount() > before { await Task.yield() }
  }
}

@Suite("The policy of the board's files, told by the kernel", .timeLimit(.minutes(1)))
struct PolicyFilesTellingTests {
  @Test("a revocation and a lock are seen at once, though nobody looks for an hour")
  func atOnce() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPlaces(root: folder.path)
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 1000), places: places, interval: .seconds(3600),
      report: { _ in })
    var updates = policy.updates().makeAsyncIterator()
    let clock = ContinuousClock()
    var seen: [Duration] = []
    for level in [Decision.Level.always, .denied, .always, .denied, .always] {
      // The first of them comes with the first look.
      let start = clock.now
      _ = try places.store.update { $0.record(.of(level)) }
      let expected = Authorization(level == .always ? .authorizedAlways : .denied)
      #expect(await updates.next() == .decided(expected))
      seen.append(start.duration(to: clock.now))
    }
    let start = clock.now
    try folder.write("etc/fixcast/policy.d/a.conf", "lock everyone\n")
    #expect(await updates.next() == .decided(Authorization(.restricted)))
    seen.append(start.duration(to: clock.now))
    print("seen after: \(seen.map { "\($0 / .milliseconds(1)) ms" }.joined(separator: ", "))")
    // A tenth of a second on a machine that has time for it.
    #expect(seen.allSatisfy { $0 < .seconds(2) })
  }

  @Test("nothing is looked at while nothing changes, and nothing when others write their log")
  func rests() async throws {
    let folder = try ScratchFolder()
    let places = PolicyPlaces(root: folder.path)
    try folder.makeFolder("var/lib/fixcast")
    // Nobody moves its time.
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
    let looks = policy.state.withLock { $0.lookCount }
    #expect((2...6).contains(looks), "\(looks)")
  }

  @Test("a rule behind a symbolic link is looked at twice a second instead")
  func links() async throws {
    let folder = try ScratchFolder()
    try folder.write("elsewhere", "deny everyone\n")
    try folder.makeFolder("etc/fixcast/policy.d")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/etc/fixcast/policy.d/a.conf",
      withDestinationPath: folder.path + "/elsewhere")
    let clock = ManualClock()
    let policy = PolicyFiles(
      client: ClientIdentity(userID: 1000), places: PolicyPlaces(root: folder.path), clock: clock,
      report: { _ in })
    var updates = policy.updates().makeAsyncIterator()
    await clock.waitForSleepers()
    try folder.write("elsewhere", "lock everyone\n")
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(500))
    }
    #expect(await updates.next() == .decided(Authorization(.restricted)))
  }
}
