// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import Foundation
import Glibc
import Receivers
import Testing

@testable import fixcast

/// The `fixcast watch` command, on a terminal and with other outputs.
@Suite(.timeLimit(.minutes(5))) struct WatchCommandTests {
  private static let simulated = ["watch", "--source", "simulated", "--no-weather"]

  /// Returns the screen of a terminal of this size after the pieces of output.
  private static func screen(
    _ pieces: [[UInt8]], columns: Int = 80, rows: Int = 24
  ) -> ScreenModel {
    var screen = ScreenModel(columns: columns, rows: rows)
    for piece in pieces { screen.process(piece) }
    return screen
  }

  /// Returns the times of all fixes that the screen has shown.
  private static func times(_ pieces: [[UInt8]]) -> Set<String> {
    var screen = ScreenModel(columns: 80, rows: 24)
    var times: Set<String> = []
    for piece in pieces {
      screen.process(piece)
      for line in screen.lines where line.hasSuffix("Z") { times.insert(line) }
    }
    return times
  }

  private static func run<Value>(
    _ arguments: [String] = simulated, window: TerminalWindow, environment: [String: String] = [:],
    _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    try await ChildProcess.use(
      path: Program.path, arguments: arguments,
      environment: ["TERM": "xterm"].merging(environment) { _, new in new }, window: window, body)
  }

  @Test(
    arguments: [
      ["watch", "--json", "--source", "gpsd:127.0.0.1:1", "--no-weather"],
      ["watch", "--source", "gpsd:127.0.0.1:1", "--no-weather"],
      ["path", "--watch", "--to", "localhost"],
    ] + (access("/run/udev/control", F_OK) == 0 ? [["devices", "--watch"]] : []))
  func `a command that runs until stopped exits with 74 when its reader closes the pipe`(arguments: [String])
    async throws
  {
    let words = Program.piped(arguments, into: "head -n 1")
    try await ChildProcess.use(path: words[0], arguments: Array(words.dropFirst())) {
      let code = await $0.wait() >> 8 & 0xFF
      #expect(code == 74, "\($0.lines.events)")
    }
  }

  enum Ending: CaseIterable { case interrupt, terminate, quit, key, letter, time }

  @Test(arguments: Ending.allCases)
  func `watch redraws in place and restores the terminal at exit`(end: Ending) async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    #expect(window.echoes && window.isLineBuffered)
    let arguments = Self.simulated + (end == .time ? ["--seconds", "10"] : [])
    try await Self.run(arguments, window: window) { program in
      // With --seconds, the program may end before it has drawn a second fix.
      let count = end == .time ? 1 : 2
      let labels = ["Receiver ", "Fix ", "Sky ", "Path "]
      // The path appears after the kernel's response, possibly after the first fix.
      let pieces = await program.pieces.wait { pieces in
        guard Self.times(pieces).count >= count else { return false }
        let lines = Self.screen(pieces).lines
        return labels.allSatisfy { label in lines.contains { $0.hasPrefix(label) } }
      }
      let screen = Self.screen(pieces)
      #expect(screen.showsAlternateScreen && !screen.isCursorVisible)
      #expect(end == .time || !window.echoes && !window.isLineBuffered)
      #expect(screen.unexpectedOutput == [], "\(screen.unexpectedOutput)")
      #expect(screen.lines.first?.hasPrefix("fixcast watch   SIMULATED") == true)
      for label in labels {
        #expect(screen.lines.count { $0.hasPrefix(label) } == 1, "\(screen.lines)")
      }
      #expect(end == .time || screen.lines.contains { $0.contains("█") })
      switch end {
      case .interrupt: program.send(SIGINT)
      case .terminate: program.send(SIGTERM)
      case .quit: program.send(SIGQUIT)
      case .key: window.type("\u{03}")
      case .letter: window.type("q")
      case .time: break
      }
      let status = await program.wait()
      #expect(status == 0)
      let after = Self.screen(program.pieces.events)
      #expect(!after.showsAlternateScreen && after.isCursorVisible)
      #expect(window.echoes && window.isLineBuffered)
      #expect(after.unexpectedOutput == [], "\(after.unexpectedOutput)")
      // The screen is never cleared as a whole.
      #expect(!program.pieces.events.joined().contains(Array("\u{1B}[2J".utf8)))
    }
  }

  @Test(arguments: [(40, 12), (120, 40), (20, 3)])
  func `watch redraws when the window size changes`(columns: Int, rows: Int) async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    try await Self.run(window: window) { program in
      let count = await program.pieces.wait { !Self.times($0).isEmpty }.count
      window.resize(columns: columns, rows: rows)
      let shown: @Sendable ([[UInt8]]) -> ScreenModel = { pieces in
        var screen = Self.screen(Array(pieces.prefix(count)))
        screen.resize(columns: columns, rows: rows)
        for piece in pieces.dropFirst(count) { screen.process(piece) }
        return screen
      }
      let isNarrow = columns < 50
      let pieces = await program.pieces.wait { pieces in
        // In a narrow window the position is on a separate line.
        let start = isNarrow ? "  51.51" : String(repeating: " ", count: 22) + "51.51"
        return pieces.count > count && shown(pieces).lines.contains { $0.hasPrefix(start) }
      }
      let lines = shown(pieces).lines
      #expect(lines.count { $0.hasPrefix("Fix") } == 1, "\(lines)")
      #expect(lines.count { $0.contains("51.51") } == 1, "\(lines)")
    }
  }

  @Test func `Ctrl-Z in watch restores the terminal, and resuming draws again`() async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    try await Self.run(window: window) { program in
      await program.pieces.wait { !Self.times($0).isEmpty }
      window.type("\u{1A}")
      let stopped = await program.pieces.wait { Self.screen($0).isCursorVisible }
      #expect(!Self.screen(stopped).showsAlternateScreen)
      // The settings are restored after the screen. A SIGCONT before the program has stopped would
      // have no effect.
      await program.waitForStop()
      #expect(window.isLineBuffered)
      program.send(SIGCONT)
      let resumed = await program.pieces.wait { pieces in
        pieces.count > stopped.count && !Self.screen(pieces).isCursorVisible
      }
      #expect(Self.screen(resumed).showsAlternateScreen)
    }
  }

  @Test func `keys in watch show the key list, raw sentences and the sky plot`() async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 40))
    try await Self.run(window: window) { program in
      await program.pieces.wait { !Self.times($0).isEmpty }
      for (key, text) in [("?", "n raw sentences"), ("n", "$G"), ("u", "mph"), ("u", " kn ")] {
        window.type(key)
        await program.pieces.wait { pieces in
          Self.screen(pieces, rows: 40).lines.contains { $0.contains(text) }
        }
      }
      let hadPlot = Self.screen(program.pieces.events, rows: 40).lines.contains { $0.contains("●") }
      window.type("s")
      await program.pieces.wait { pieces in
        Self.screen(pieces, rows: 40).lines.contains { $0.contains("●") } != hadPlot
      }
    }
  }

  @Test func `watch shows the counts of the lines that it has received while there is no position`() async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    let receiver = try PseudoTerminal(permissions: 0o666)
    let arguments = ["watch", "--source", "serial:\(receiver.devnode)", "--no-weather"]
    try await Self.run(arguments, window: window) { program in
      _ = await program.pieces.wait { pieces in
        // The screen is drawn at least once per second.
        receiver.write(Array("$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n".utf8))
        return Self.screen(pieces).lines.contains {
          $0.hasPrefix("Received") && $0.contains(" used")
        }
      }
    }
  }

  @Test func `watch exits with 0 on SIGHUP`() async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    try await Self.run(window: window) { program in
      await program.pieces.wait { !Self.times($0).isEmpty }
      program.send(SIGHUP)
      #expect(await program.wait() == 0)
    }
  }

  @Test(
    arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true)]
      as [([String: String], Bool)])
  func `watch uses no colours if NO_COLOR has a value`(environment: [String: String], isColored: Bool) async throws {
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    try await Self.run(window: window, environment: environment) { program in
      let pieces = await program.pieces.wait { !Self.times($0).isEmpty }
      #expect(Self.screen(pieces).colors.isEmpty != isColored)
    }
  }

  @Test func `watch shows the weather from the server of --weather-url`() async throws {
    let server = try await DemoWeatherServer()
    let window = try #require(TerminalWindow(columns: 80, rows: 40))
    let arguments = ["watch", "--source", "simulated", "--weather-url", server.baseURL]
    let folder = try ScratchFolder()
    let environment = ["FIXCAST_STATE_DIRECTORY": folder.path]
    try await Self.run(arguments, window: window, environment: environment) { program in
      let pieces = await program.pieces.wait { pieces in
        Self.screen(pieces, rows: 40).lines.contains {
          $0.contains("forecast by openmeteo, simulated")
        }
      }
      let lines = Self.screen(pieces, rows: 40).lines
      #expect(lines.contains { $0.hasPrefix("Weather") && $0.contains("°C") }, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("Path") && $0.contains("up via lo") }, "\(lines)")
    }
    await server.stop()
  }

  @Test func `watch prints lines without a terminal, and on a terminal without cursor control`() async throws {
    let isComplete: @Sendable ([String]) -> Bool = { lines in
      lines.count { $0.contains(" fix ") } >= 2 && lines.contains { $0.contains(" path ") }
    }
    let piped = try await ChildProcess.use(
      path: Program.path, arguments: Self.simulated, environment: ["TERM": "xterm"]
    ) {
      await $0.lines.wait(until: isComplete)
      #expect(await $0.end() == 0)
      return $0.lines.events
    }
    // One line per fix, not one per redraw.
    let fixes = piped.filter { $0.contains(" fix ") }
    #expect(Set(fixes).count == fixes.count, "\(piped)")
    #expect(!piped.joined().contains("\u{1B}"))
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    try await Self.run(
      window: window, environment: ["TERM": "dumb"]
    ) { program in
      await program.lines.wait(until: isComplete)
      #expect(await program.end() == 0)
      #expect(!program.pieces.events.joined().contains(0x1B))
    }
  }

  @Test func `watch exits with 0 when the time of --seconds has passed`() async throws {
    let (lines, code) = try await ChildProcess.run(
      path: Program.path, arguments: Self.simulated + ["--seconds", "10"]
    )
    #expect(code == 0, "\(lines)")
    #expect((1...11).contains(lines.count { $0.contains(" fix ") }), "\(lines)")
  }

  @Test func `watch --json prints objects, also on a terminal`() async throws {
    struct Object: Decodable { var `class`: String }
    let window = try #require(TerminalWindow(columns: 80, rows: 24))
    try await Self.run(Self.simulated + ["--json"], window: window) { program in
      await program.lines.wait { lines in
        ["TPV", "SKY", "PATH"].allSatisfy { name in
          lines.contains { $0.contains("\"class\":\"\(name)\"") }
        }
      }
      #expect(await program.end() == 0)
      let objects = try program.lines.events.map {
        try JSONDecoder().decode(Object.self, from: Data($0.utf8)).class
      }
      #expect(Set(objects).isSuperset(of: ["TPV", "SKY", "PATH"]), "\(objects)")
    }
  }

  @Test func `watch --json prints the heading before the position, and what the receiver states`() async throws {
    let receiver = try PseudoTerminal(permissions: 0o666)
    let arguments = ["watch", receiver.devnode, "--json", "--no-weather"]
    let lines = try await ChildProcess.use(path: Program.path, arguments: arguments) { program in
      let device = receiver.sendBursts(HeadingReceiver.burst)
      let lines = await program.lines.wait(until: HeadingReceiver.isComplete)
      device.cancel()
      await device.value
      #expect(await program.end() == 0)
      return lines
    }
    HeadingReceiver.check(lines, receiver.devnode)
  }

  @Test func `watch exits with 74 and without a message when its reader closes the pipe`() async throws {
    let script = #"set -o pipefail; "$0" "$@" | head -n 1"#
    let (lines, code) = try await ChildProcess.run(
      path: "/bin/bash", arguments: ["-c", script, Program.path] + Self.simulated
    )
    #expect(code == 74, "\(lines)")
    // A closed pipe is not reported.
    #expect(!lines.contains { $0.contains("standard output") }, "\(lines)")
  }

  @Test func `watch exits with 75 if the receiver sends no data for the time of --seconds`() async throws {
    let terminal = try PseudoTerminal(permissions: 0o666)
    let (lines, code) = try await Program.run(
      "watch", "--source", "serial:\(terminal.devnode)", "--no-weather", "--seconds", "1")
    #expect(code == 75)
    #expect(lines.last?.contains("no fix in 1 s") == true, "\(lines)")
  }

  @Test(
    arguments: [
      (["--seconds", "0"], 64, "--seconds takes 1 to 86400"),
      (["--weather-url", "nonsense"], 64, "--weather-url takes a URL"),
      (["--weather-url", "http://127.0.0.1:1", "--no-weather"], 64, "cannot be combined with"),
      (["--source", "foo"], 64, "not a source; try auto"),
      (["--return-delay", "31"], 64, "--return-delay takes 0 to 30 seconds"),
      (["--expensive-interval", "0"], 64, "--expensive-interval takes 1 to 86400"),
      (
        ["--no-weather", "--seconds", "1", "--source", "serial:/dev/nowhere"], 69,
        "/dev/nowhere: open: No such file"
      ),
    ] as [([String], Int32, String)])
  func `watch rejects invalid options as usage errors and reports a missing device`(
    arguments: [String], code: Int32, text: String
  ) async throws {
    let (lines, exitCode) = try await ChildProcess.run(
      path: Program.path, arguments: ["watch"] + arguments
    )
    #expect(exitCode == code)
    #expect(lines.contains { $0.contains(text) }, "\(lines)")
  }
}
