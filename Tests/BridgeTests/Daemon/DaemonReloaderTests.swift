// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FixcastConfiguration
import FixcastTesting
import Logging
import Pipeline
import Settings
import Synchronization
import Testing

@testable import Bridge

@Suite("The daemon's configuration, read again")
struct DaemonReloaderTests {
  private enum Word: Equatable, Sendable {
    case load
    case applied(DaemonConfiguration)
  }

  private final class World: Sendable {
    let folder: String
    let notices = EventRecorder<DaemonNotice>()
    let words = EventRecorder<Word>()
    let reloader: DaemonReloader

    init(_ folder: borrowing ScratchFolder) throws {
      try folder.write("config.toml", "")
      self.folder = folder.path
      let loader = ConfigurationLoader(
        files: ConfigurationFiles(file: folder.path + "/config.toml"), catalog: .known)
      let (notices, words) = (notices, words)
      reloader = DaemonReloader(
        running: try loader.load().get().configuration,
        load: {
          words.record(.load)
          return loader.load()
        },
        apply: { configuration, _ in words.record(.applied(configuration)) },
        report: { notices.record($0) })
    }

    var applied: [DaemonConfiguration] {
      words.events.compactMap { if case .applied(let what) = $0 { what } else { nil } }
    }
  }

  private static let broken = "[daemon]\nlog_levle = \"debug\"\n"

  @Test("where the kernel watches no files it is told what to do instead, and not at the end")
  func notWatched() async {
    let notices = EventRecorder<DaemonNotice>()
    let ended = Task {
      await Daemon.untilCancelled({ notices.record($0) }) { await BridgeRun.untilCancelled() }
    }
    ended.cancel()
    await ended.value
    #expect(notices.events.isEmpty)
    let unwatched = Task { await Daemon.untilCancelled({ notices.record($0) }) {} }
    await notices.wait(for: 1)
    unwatched.cancel()
    await unwatched.value
    #expect(notices.events == [.notWatched])
    #expect(DaemonNotice.notWatched.level == .warning)
    #expect(
      DaemonNotice.notWatched.lines == [
        "changes of the configuration's files are not noticed; after each: "
          + "sudo systemctl reload fixcast"
      ])
  }

  @Test("what changed nothing is told to whoever asked, and to nobody else")
  func nothing() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    try folder.write("config.toml", "# moved\n")
    world.reloader.reload(isAsked: false)
    #expect(world.notices.events.isEmpty)
    world.reloader.reload(isAsked: true)
    #expect(
      world.notices.events == [.reloaded(["the configuration was read again: nothing changed"])])
    #expect(world.applied.isEmpty)
  }

  @Test("a broken file changes nothing, is told once, and again when somebody asks")
  func broken() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    let before = world.reloader.standing.running
    try folder.write("config.toml", Self.broken)
    world.reloader.reload(isAsked: false)
    world.reloader.reload(isAsked: false)
    #expect(world.notices.events.count == 1)
    world.reloader.reload(isAsked: true)
    #expect(world.notices.events.count == 2)
    #expect(world.notices.events.first == world.notices.events.last)
    guard case .configurationBroken(let lines)? = world.notices.events.first else {
      Issue.record("\(world.notices.events)")
      return
    }
    #expect(lines.first?.contains("log_levle") == true)
    #expect(lines.last == "the configuration is broken; the one before goes on")
    #expect(world.applied.isEmpty && world.reloader.standing.running == before)
    #expect(world.reloader.standing.errors == Array(lines.dropLast()))
  }

  @Test(
    "a file that is gone or says nothing changes nothing, until somebody says that it is meant",
    arguments: [nil, "", "\n", "# [[sink]]\n"])
  func gone(text: String?) throws {
    let folder = try ScratchFolder()
    let loader = ConfigurationLoader(
      files: ConfigurationFiles(root: folder.path), catalog: .known)
    let (name, path) = ("etc/fixcast/config.toml", folder.path + "/etc/fixcast/config.toml")
    let (applied, notices) = (EventRecorder<DaemonConfiguration>(), EventRecorder<DaemonNotice>())
    try folder.write(name, "[[sink]]\ntype = \"log\"\n")
    let loaded = try loader.load().get()
    let reloader = DaemonReloader(
      running: loaded.configuration, emptied: EmptiedFiles(loaded),
      files: { loader.files.presentPaths }, load: { loader.load() },
      apply: { configuration, _ in applied.record(configuration) },
      report: { notices.record($0) })
    if let text { try folder.write(name, text) } else { try folder.remove(name) }
    reloader.reload(isAsked: false)
    reloader.reload(isAsked: false)
    let line =
      "\(path): is gone or says nothing; where that is meant: sudo systemctl reload fixcast, or SIGHUP to fixcast run"
    #expect(
      notices.events == [
        .configurationBroken([line, "the configuration is broken; the one before goes on"])
      ])
    #expect(applied.events.isEmpty && reloader.standing.errors == [line])
    // What runs is what it said.
    #expect(reloader.standing.files == [path])
    reloader.reload(isAsked: true)
    #expect(reloader.standing.files == (text == nil ? [] : [path]))
    #expect(applied.events.map { $0.plugins.contains { $0.type == "log" } } == [false])
    // From then on that is what runs.
    reloader.reload(isAsked: false)
    #expect(reloader.standing.errors.isEmpty && applied.events.count == 1)
  }

  @Test(
    "a file of the folder that is emptied lets no source go until that is meant; a removed one does"
  )
  func emptiedPart() throws {
    let folder = try ScratchFolder()
    let loader = ConfigurationLoader(
      files: ConfigurationFiles(root: folder.path), catalog: .known)
    let part = "etc/fixcast/conf.d/receiver.toml"
    let (applied, notices) = (EventRecorder<DaemonConfiguration>(), EventRecorder<DaemonNotice>())
    let text = "[[source]]\ntype = \"serial\"\ndevice = \"/dev/ttyUSB0\"\n"
    try folder.write(part, text)
    let loaded = try loader.load().get()
    let reloader = DaemonReloader(
      running: loaded.configuration, emptied: EmptiedFiles(loaded), load: { loader.load() },
      apply: { configuration, _ in applied.record(configuration) },
      report: { notices.record($0) })
    try folder.write(part, "# to be typed\n")
    reloader.reload(isAsked: false)
    let line =
      "\(folder.path)/\(part): says nothing any more; where that is meant: sudo systemctl reload fixcast, or SIGHUP to fixcast run"
    #expect(
      notices.events == [
        .configurationBroken([line, "the configuration is broken; the one before goes on"])
      ])
    #expect(applied.events.isEmpty && reloader.standing.errors == [line])
    try folder.write(part, text)
    reloader.reload(isAsked: false)
    #expect(applied.events.isEmpty && reloader.standing.errors.isEmpty)
    try folder.remove(part)
    reloader.reload(isAsked: false)
    #expect(applied.events.map { $0.sources.map(\.name) } == [["auto"]])
  }

  @Test("a file that is broken in another way is told again")
  func brokenOtherwise() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for text in [Self.broken, "[daemon]\nlog_level = 3\n"] {
      try folder.write("config.toml", text)
      world.reloader.reload(isAsked: false)
    }
    #expect(world.notices.events.count == 2)
  }

  @Test("a file that is right again says so, and nothing is wrong any more")
  func rightAgain() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for text in [Self.broken, ""] {
      try folder.write("config.toml", text)
      world.reloader.reload(isAsked: false)
    }
    #expect(
      world.notices.events.last
        == .reloaded(["the configuration is right again, and says what runs already"]))
    #expect(world.reloader.standing.errors.isEmpty && world.applied.isEmpty)
  }

  @Test("what is right and new is applied, told in one line, and runs from then on")
  func applied() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for text in [Self.broken, "[daemon]\nlog_level = \"debug\"\n[[sink]]\ntype = \"log\"\n"] {
      try folder.write("config.toml", text)
      world.reloader.reload(isAsked: false)
    }
    #expect(world.applied.map(\.daemon.logLevel) == [.debug])
    #expect(world.reloader.standing.running == world.applied.first)
    #expect(world.reloader.standing.errors.isEmpty)
    #expect(
      world.notices.events.last
        == .reloaded(["the configuration was read again: sink log added, log level changed"]))
    world.reloader.reload(isAsked: false)
    #expect(world.applied.count == 1)
  }

  @Test("whoever is asked for the weather from now on is named, as where a file alone forbade it")
  func weather() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for (text, words) in [
      ("[weather]\nenabled = false\n", "weather is off"),
      ("[weather]\nenabled = false\ngrid_decimals = 1\n", " weather changed"),
      ("", "weather is on: openmeteo is asked"),
      ("[weather]\ngrid_decimals = 1\n", " weather changed"),
      (
        "[weather]\nproviders = [\"metnorway\", \"openmeteo\"]\ncontact = \"a@b.example\"\n",
        "weather is on: metnorway and openmeteo are asked"
      ),
    ] {
      try folder.write("config.toml", text)
      world.reloader.reload(isAsked: true)
      let lines = world.notices.events.last?.lines ?? []
      #expect(lines.first?.hasSuffix(words) == true, "\(lines)")
    }
  }

  @Test("where clients find it and where it keeps things stay until a start, which is told")
  func needsStart() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    let before = world.reloader.standing.running.daemon
    try folder.write(
      "config.toml",
      "[daemon]\nsocket = \"/other.sock\"\nstate_directory = \"/other\"\nlog_level = \"debug\"\n")
    world.reloader.reload(isAsked: false)
    let now = world.reloader.standing.running.daemon
    #expect(now.socket == before.socket && now.stateDirectory == before.stateDirectory)
    #expect(now.logLevel == .debug && world.applied.map(\.daemon) == [now])
    #expect(
      world.notices.events == [
        .reloaded([
          "the configuration was read again: log level changed",
          "daemon.socket counts only after the daemon is started again: systemctl restart fixcast",
          "daemon.state_directory counts only after the daemon is started again: "
            + "systemctl restart fixcast",
        ])
      ])
  }

  @Test("what is doubtful is told of what is applied, and to whoever asks")
  func doubtful() throws {
    let folder = try ScratchFolder()
    let loader = ConfigurationLoader(
      files: ConfigurationFiles(file: folder.path + "/c.toml"), catalog: .known)
    let notices = EventRecorder<DaemonNotice>()
    try folder.write("c.toml", "")
    let reloader = DaemonReloader(
      running: try loader.load().get().configuration, load: { loader.load() }, apply: { _, _ in },
      lookOver: { loaded in
        let names = loaded.configuration.plugins(.sink).map(\.name)
        if !names.isEmpty { notices.record(.doubtful(names.map { "no folder of \($0)" })) }
      },
      report: { notices.record($0) })
    for (text, isAsked) in [
      ("[[sink]]\ntype = \"log\"\n", false), ("#\n[[sink]]\ntype = \"log\"\n", false),
      ("", true), ("", true), ("[[sink]]\ntype = \"log\"\n", true),
      ("[[sink]]\ntype = \"log\"\n", true),
    ] {
      try folder.write("c.toml", text)
      reloader.reload(isAsked: isAsked)
    }
    let doubts = DaemonNotice.doubtful(["no folder of log"])
    #expect(doubts.level == .warning && doubts.lines == ["no folder of log"])
    let read = "the configuration was read again: "
    #expect(
      notices.events == [
        .reloaded([read + "sink log added"]), doubts, .reloaded([read + "sink log removed"]),
        .reloaded([read + "nothing changed"]), .reloaded([read + "sink log added"]), doubts,
        .reloaded([read + "nothing changed"]), doubts,
      ])
  }

  @Test("whoever asks while the files are read is not held up, and they are read once more")
  func meanwhile() throws {
    let words = EventRecorder<String>()
    let reloader = Mutex<DaemonReloader?>(nil)
    let made = DaemonReloader(
      running: try .toml(""),
      load: {
        words.record("load")
        // From within, where a lock that is held over the reading would never be had.
        if words.events.count == 1 {
          let reloader = reloader.withLock { $0 }
          for isAsked in [false, true, false] { reloader?.reload(isAsked: isAsked) }
          words.record("asked")
        }
        return .failure(SettingsErrors([]))
      },
      apply: { _, _ in }, report: { _ in words.record("told") })
    reloader.withLock { $0 = made }
    made.reload(isAsked: false)
    #expect(words.events == ["load", "asked", "load", "told"])
    reloader.withLock { $0 = nil }
  }

  @Test("two that ask at once are served one after the other: the older never comes last")
  func oneAtATime() throws {
    let folder = try ScratchFolder()
    try folder.write("config.toml", "")
    let words = EventRecorder<String>()
    let count = Mutex(0)
    let results = try ["debug", "trace"].map { level in
      try folder.write("\(level).toml", "[daemon]\nlog_level = \"\(level)\"\n")
      return ConfigurationLoader(
        files: ConfigurationFiles(file: "\(folder.path)/\(level).toml"), catalog: .known)
    }
    let reloader = DaemonReloader(
      running: try .toml(""),
      load: {
        words.record("load")
        let number = count.withLock { count in
          count += 1
          return count
        }
        return results[number % 2].load()
      },
      apply: { _, _ in words.record("apply") }, report: { _ in })
    DispatchQueue.concurrentPerform(iterations: 200) { _ in reloader.reload(isAsked: false) }
    let events = words.events
    let pairs = events.count / 2
    #expect((1...200).contains(pairs))
    let isInTurn = events == Array(repeating: ["load", "apply"], count: pairs).flatMap { $0 }
    #expect(isInTurn)
  }
}
