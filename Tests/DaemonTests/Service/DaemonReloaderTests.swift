// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Logging
import Pipeline
import Testing

@testable import Daemon

@Suite("Reloading the daemon's configuration", .timeLimit(.minutes(1)))
struct DaemonReloaderTests {
  private enum Call: Equatable, Sendable {
    case load
    case applied(DaemonConfiguration)
  }

  private final class Fixture: Sendable {
    let notices = EventRecorder<DaemonLogEvent>()
    let calls = EventRecorder<Call>()
    let reloader: DaemonReloader

    init(_ folder: borrowing ScratchFolder) throws {
      try folder.write("config.toml", "")
      let loader = ConfigurationLoader(files: ConfigurationFiles(file: folder.path + "/config.toml"), catalog: .known)
      let (notices, calls) = (notices, calls)
      reloader = DaemonReloader(
        running: try loader.load().get().configuration,
        load: {
          calls.record(.load)
          return loader.load()
        },
        apply: { configuration, _ in calls.record(.applied(configuration)) },
        report: { notices.record($0) })
    }

    var applied: [DaemonConfiguration] {
      calls.events.compactMap {
        if case .applied(let configuration) = $0 { configuration } else { nil }
      }
    }
  }

  private static let broken = "[daemon]\nlog_levle = \"debug\"\n"

  @Test func `a reload without changes logs that nothing changed, and applies nothing`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    try folder.write("config.toml", "# moved\n")
    fixture.reloader.reload()
    #expect(fixture.notices.events == [.reloaded(["configuration reloaded: nothing changed"])])
    #expect(fixture.applied.isEmpty)
  }

  @Test func `a reload of an invalid file keeps the running configuration and logs all errors each time`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let before = fixture.reloader.status.running
    try folder.write("config.toml", Self.broken)
    fixture.reloader.reload()
    fixture.reloader.reload()
    #expect(fixture.notices.events.count == 2)
    #expect(fixture.notices.events.first == fixture.notices.events.last)
    guard case .configurationBroken(let lines)? = fixture.notices.events.first else {
      Issue.record("\(fixture.notices.events)")
      return
    }
    #expect(lines.first?.hasPrefix("\(folder.path)/config.toml:2: ") == true, "\(lines)")
    #expect(lines.first?.contains("log_levle") == true)
    #expect(lines.last == "the configuration is invalid; the previous one stays active")
    #expect(fixture.applied.isEmpty && fixture.reloader.status.running == before)
    #expect(fixture.reloader.status.errors == Array(lines.dropLast()))
  }

  @Test(arguments: [nil, "", "\n", "# [[sink]]\n"])
  func `removing or emptying the configuration file takes effect at the next reload`(text: String?) throws {
    let folder = try ScratchFolder()
    let loader = ConfigurationLoader(files: ConfigurationFiles(root: folder.path), catalog: .known)
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

  @Test func `a reload of a corrected file logs that the file is valid again, and clears the errors`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    for text in [Self.broken, ""] {
      try folder.write("config.toml", text)
      fixture.reloader.reload()
    }
    #expect(fixture.notices.events.last == .reloaded(["the configuration is valid again: nothing changed"]))
    #expect(fixture.reloader.status.errors.isEmpty && fixture.applied.isEmpty)
  }

  @Test func `a reload of a changed file applies the changes once and logs them in one line`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    for text in [Self.broken, "[daemon]\nlog_level = \"debug\"\n[[sink]]\ntype = \"log\"\n"] {
      try folder.write("config.toml", text)
      fixture.reloader.reload()
    }
    #expect(fixture.applied.map(\.daemon.logLevel) == [.debug])
    #expect(fixture.reloader.status.running == fixture.applied.first)
    #expect(fixture.reloader.status.errors.isEmpty)
    #expect(fixture.notices.events.last == .reloaded(["configuration reloaded: sink log added, log level changed"]))
    fixture.reloader.reload()
    #expect(fixture.applied.count == 1)
  }

  @Test func `a reload that changes the weather logs the providers in use`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
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
      fixture.reloader.reload()
      let lines = fixture.notices.events.last?.lines ?? []
      #expect(lines.first?.hasSuffix(words) == true, "\(lines)")
    }
  }

  @Test func `a reload that changes the socket or the state directory logs that a restart is needed`() throws {
    let folder = try ScratchFolder()
    let fixture = try Fixture(folder)
    let before = fixture.reloader.status.running.daemon
    try folder.write(
      "config.toml",
      "[daemon]\nsocket = \"/other.sock\"\nstate_directory = \"/other\"\nlog_level = \"debug\"\n")
    fixture.reloader.reload()
    let now = fixture.reloader.status.running.daemon
    #expect(now.socket == before.socket && now.stateDirectory == before.stateDirectory)
    #expect(now.logLevel == .debug && fixture.applied.map(\.daemon) == [now])
    #expect(
      fixture.notices.events == [
        .reloaded([
          "configuration reloaded: log level changed",
          "daemon.socket takes effect only after a restart of the daemon: sudo systemctl restart fixcast",
          "daemon.state_directory takes effect only after a restart of the daemon: "
            + "sudo systemctl restart fixcast",
        ])
      ])
  }

  @Test func `reload requests that arrive during a reload cause a single further reload`() async throws {
    let calls = EventRecorder<String>()
    let (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reloader = DaemonReloader(
      running: try .toml(""),
      load: {
        calls.record("load")
        if calls.events.count == 1 {
          for _ in 0..<3 { continuation.yield() }
        } else {
          continuation.finish()
        }
        return .failure(SettingsErrors([]))
      },
      apply: { _, _ in }, report: { _ in calls.record("report") })
    continuation.yield()
    await reloader.run(requests)
    #expect(calls.events == ["load", "report", "load", "report"])
  }
}
