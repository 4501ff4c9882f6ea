// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import Pipeline
import Testing

@testable import Daemon

@Suite("Reloading the daemon's configuration", .timeLimit(.minutes(1)))
struct DaemonReloaderTests {
  private enum Word: Equatable, Sendable {
    case load
    case applied(DaemonConfiguration)
  }

  private final class World: Sendable {
    let notices = EventRecorder<DaemonLogEvent>()
    let words = EventRecorder<Word>()
    let reloader: DaemonReloader

    init(_ folder: borrowing ScratchFolder) throws {
      try folder.write("config.toml", "")
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

  @Test("a reload that changes nothing says so and applies nothing")
  func nothing() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    try folder.write("config.toml", "# moved\n")
    world.reloader.reload()
    #expect(
      world.notices.events == [.reloaded(["configuration reloaded: nothing changed"])])
    #expect(world.applied.isEmpty)
  }

  @Test("a reload of a broken file keeps the running configuration and logs each error every time")
  func broken() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    let before = world.reloader.status.running
    try folder.write("config.toml", Self.broken)
    world.reloader.reload()
    world.reloader.reload()
    #expect(world.notices.events.count == 2)
    #expect(world.notices.events.first == world.notices.events.last)
    guard case .configurationBroken(let lines)? = world.notices.events.first else {
      Issue.record("\(world.notices.events)")
      return
    }
    #expect(lines.first?.hasPrefix("\(folder.path)/config.toml:2: ") == true, "\(lines)")
    #expect(lines.first?.contains("log_levle") == true)
    #expect(lines.last == "the configuration is invalid; the previous one stays active")
    #expect(world.applied.isEmpty && world.reloader.status.running == before)
    #expect(world.reloader.status.errors == Array(lines.dropLast()))
  }

  @Test(
    "a file that is removed or emptied counts as such from the next reload on",
    arguments: [nil, "", "\n", "# [[sink]]\n"])
  func gone(text: String?) throws {
    let folder = try ScratchFolder()
    let loader = ConfigurationLoader(
      files: ConfigurationFiles(root: folder.path), catalog: .known)
    let (name, path) = ("etc/fixcast/config.toml", folder.path + "/etc/fixcast/config.toml")
    let applied = EventRecorder<DaemonConfiguration>()
    try folder.write(name, "[[sink]]\ntype = \"log\"\n")
    let reloader = DaemonReloader(
      running: try loader.load().get().configuration,
      files: { loader.files.presentPaths }, load: { loader.load() },
      apply: { configuration, _ in applied.record(configuration) }, report: { _ in })
    if let text { try folder.write(name, text) } else { try folder.remove(name) }
    #expect(reloader.status.files == [path])
    reloader.reload()
    #expect(reloader.status.files == (text == nil ? [] : [path]))
    #expect(applied.events.map { $0.plugins.contains { $0.type == "log" } } == [false])
    reloader.reload()
    #expect(reloader.status.errors.isEmpty && applied.events.count == 1)
  }

  @Test("a reload after the file was repaired says so, and clears the errors")
  func rightAgain() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for text in [Self.broken, ""] {
      try folder.write("config.toml", text)
      world.reloader.reload()
    }
    #expect(
      world.notices.events.last
        == .reloaded(["the configuration is valid again: nothing changed"]))
    #expect(world.reloader.status.errors.isEmpty && world.applied.isEmpty)
  }

  @Test("a reload of a changed file applies it once and logs the change in one line")
  func applied() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for text in [Self.broken, "[daemon]\nlog_level = \"debug\"\n[[sink]]\ntype = \"log\"\n"] {
      try folder.write("config.toml", text)
      world.reloader.reload()
    }
    #expect(world.applied.map(\.daemon.logLevel) == [.debug])
    #expect(world.reloader.status.running == world.applied.first)
    #expect(world.reloader.status.errors.isEmpty)
    #expect(
      world.notices.events.last
        == .reloaded(["configuration reloaded: sink log added, log level changed"]))
    world.reloader.reload()
    #expect(world.applied.count == 1)
  }

  @Test("a reload names the weather providers that are asked from now on")
  func weather() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    for (text, words) in [
      ("[weather]\nenabled = false\n", "weather disabled"),
      ("[weather]\nenabled = false\ngrid_decimals = 1\n", " weather changed"),
      ("", "weather enabled, using openmeteo"),
      ("[weather]\ngrid_decimals = 1\n", " weather changed"),
      (
        "[weather]\nproviders = [\"metnorway\", \"openmeteo\"]\ncontact = \"a@b.example\"\n",
        "weather enabled, using metnorway and openmeteo"
      ),
    ] {
      try folder.write("config.toml", text)
      world.reloader.reload()
      let lines = world.notices.events.last?.lines ?? []
      #expect(lines.first?.hasSuffix(words) == true, "\(lines)")
    }
  }

  @Test("a reload that changes the socket or the state directory says that a restart is needed")
  func needsStart() throws {
    let folder = try ScratchFolder()
    let world = try World(folder)
    let before = world.reloader.status.running.daemon
    try folder.write(
      "config.toml",
      "[daemon]\nsocket = \"/other.sock\"\nstate_directory = \"/other\"\nlog_level = \"debug\"\n")
    world.reloader.reload()
    let now = world.reloader.status.running.daemon
    #expect(now.socket == before.socket && now.stateDirectory == before.stateDirectory)
    #expect(now.logLevel == .debug && world.applied.map(\.daemon) == [now])
    #expect(
      world.notices.events == [
        .reloaded([
          "configuration reloaded: log level changed",
          "daemon.socket takes effect only after a restart of the daemon: systemctl restart fixcast",
          "daemon.state_directory takes effect only after a restart of the daemon: "
            + "systemctl restart fixcast",
        ])
      ])
  }

  @Test("requests that arrive during a reload cause one more reload, after it")
  func meanwhile() async throws {
    let words = EventRecorder<String>()
    let (requests, request) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reloader = DaemonReloader(
      running: try .toml(""),
      load: {
        words.record("load")
        if words.events.count == 1 { for _ in 0..<3 { request.yield() } } else { request.finish() }
        return .failure(SettingsErrors([]))
      },
      apply: { _, _ in }, report: { _ in words.record("told") })
    request.yield()
    await reloader.run(requests)
    #expect(words.events == ["load", "told", "load", "told"])
  }
}
