// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import FoundationEssentials
import Testing

@testable import FixcastConfiguration

@Suite("Watching the configuration", .timeLimit(.minutes(5)))
struct ConfigurationWatchTests {
  private static let main = "etc/fixcast/config.toml"

  @Test(
    "tells of a file that changes or appears, in a folder that is not there yet too",
    arguments: ["etc/fixcast/config.toml", "etc/fixcast/conf.d/10.toml"])
  func changes(name: String) async throws {
    let folder = try ScratchFolder()
    var changes = ConfigurationWatch.changes(of: ConfigurationFiles(root: folder.path))
      .makeAsyncIterator()
    try folder.write(name, "x = 1")
    try #require(await changes.next() != nil)
    try folder.write(name, "x = 2")
    #expect(await changes.next() != nil)
  }

  @Test("waits until a file that is being written has stayed the same")
  func settles() async throws {
    let folder = try ScratchFolder()
    let (clock, done) = (LoudClock(), EventRecorder<Void>())
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let files = ConfigurationFiles(root: folder.path)
    // Emptied first, as by cp(1), and written after that.
    try folder.write(Self.main, "")
    change.yield()
    async let watching: Void = ConfigurationWatch.after(
      changes, of: files, clock: clock
    ) { done.record(()) }
    await clock.deadlines.wait(for: 1)
    try folder.write(Self.main, "x = 2")
    clock.base.advance(by: ConfigurationWatch.settling)
    // It looks again, although the time was over.
    await clock.deadlines.wait(for: 2)
    #expect(done.events.isEmpty)
    clock.base.advance(by: ConfigurationWatch.settling)
    await done.wait(for: 1)
    change.finish()
    await watching
    #expect(clock.deadlines.events == [.milliseconds(50), .milliseconds(100)])
  }

  @Test(
    "takes a file for gone after a second, and not one that is put back before",
    arguments: [false, true])
  func gone(isPutBack: Bool) async throws {
    let folder = try ScratchFolder()
    let (clock, done) = (LoudClock(), EventRecorder<[String]>())
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let files = ConfigurationFiles(root: folder.path)
    let part = "etc/fixcast/conf.d/10.toml"
    try folder.write(part, "x = 1")
    change.yield()
    async let watching: Void = ConfigurationWatch.after(
      changes, of: files, clock: clock
    ) { done.record(files.presentPaths) }
    await clock.deadlines.wait(for: 1)
    clock.base.advance(by: ConfigurationWatch.settling)
    await done.wait(for: 1)
    try folder.remove(part)
    change.yield()
    await clock.deadlines.wait(for: 2)
    if isPutBack {
      try folder.write(part, "x = 2")
      clock.base.advance(by: ConfigurationWatch.absence)
      await clock.deadlines.wait(for: 3)
      #expect(done.events.count == 1)
      clock.base.advance(by: ConfigurationWatch.settling)
    } else {
      clock.base.advance(by: ConfigurationWatch.absence)
    }
    await done.wait(for: 2)
    change.finish()
    await watching
    #expect(done.events.last == (isPutBack ? ["\(folder.path)/\(part)"] : []))
    let waits: [Duration] = [.milliseconds(50), .milliseconds(1050)]
    #expect(clock.deadlines.events == waits + (isPutBack ? [.milliseconds(1100)] : []))
  }

  @Test("takes a file that never comes to rest as it is after a second")
  func restless() async throws {
    let folder = try ScratchFolder()
    let (clock, done) = (LoudClock(), EventRecorder<Void>())
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let files = ConfigurationFiles(root: folder.path)
    change.yield()
    async let watching: Void = ConfigurationWatch.after(
      changes, of: files, clock: clock
    ) { done.record(()) }
    for look in 1...20 {
      await clock.deadlines.wait(for: look)
      #expect(done.events.isEmpty)
      try folder.write(Self.main, String(repeating: "#", count: look))
      clock.base.advance(by: ConfigurationWatch.settling)
    }
    await done.wait(for: 1)
    change.finish()
    await watching
    #expect(clock.deadlines.events.last == .seconds(1))
  }

  @Test("what changes while something is done at first is told")
  func changesMeanwhile() async throws {
    let folder = try ScratchFolder()
    try folder.write(Self.main, "x = 1")
    let (clock, done) = (LoudClock(), EventRecorder<Void>())
    let (files, path) = (ConfigurationFiles(root: folder.path), folder.path + "/" + Self.main)
    let task = Task {
      await ConfigurationWatch.afterChanges(of: files, clock: clock) {
        if done.events.isEmpty { try? Data("x = 2".utf8).write(to: URL(filePath: path)) }
        done.record(())
      }
    }
    await clock.deadlines.wait(for: 1)
    clock.base.advance(by: ConfigurationWatch.settling)
    await done.wait(for: 2)
    task.cancel()
    await task.value
  }

  @Test("ends with the task that listens")
  func end() async throws {
    let folder = try ScratchFolder()
    let changes = ConfigurationWatch.changes(of: ConfigurationFiles(root: folder.path))
    let task = Task { for await _ in changes {} }
    task.cancel()
    await task.value
  }
}
