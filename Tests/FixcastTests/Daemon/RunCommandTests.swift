// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The `fixcast run` command, its clients, and its messages to the service manager.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RunCommandTests {
  /// Runs a simulated receiver at five epochs per second; the body gets its device node.
  private static func withReceiver<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    try await ChildProcess.use(path: Program.path, arguments: ["simulate", "--hz", "5"]) {
      try await body(try #require(await $0.lines.wait(for: 1).first))
    }
  }

  /// Runs `watch --json` with the daemon for the duration of the body, which gets the output.
  private static func watch<Value>(
    _ board: borrowing DaemonFixture, _ body: (EventRecorder<String>) async throws -> Value
  ) async throws -> Value {
    try await ChildProcess.use(
      path: Program.path, arguments: ["watch", "--json", "--no-weather"],
      environment: board.environment
    ) { try await body($0.lines) }
  }

  /// Waits for `count` more epochs.
  private static func wait(epochs count: Int, _ lines: EventRecorder<String>) async {
    let before = DaemonFixture.epochs(in: lines.events).count
    await lines.wait { DaemonFixture.epochs(in: $0).count >= before + count }
  }

  /// Returns the number of bytes that the daemon's sources have read since they were opened.
  private static func bytesRead(_ board: borrowing DaemonFixture) async throws -> Int {
    let line = try #require(try await board.run("status", "--json").lines.first)
    let match = try #require(line.firstMatch(of: /"bytes":(\d+)/), "\(line)")
    return try #require(Int(match.1))
  }

  /// Checks the output of the commands with a daemon that has fixes.
  private static func expectServed(_ board: borrowing DaemonFixture) async throws {
    let located = try await board.run("locate", "--json", "--timeout", "20")
    #expect(located.code == 0)
    #expect(located.lines.contains { $0.contains(#""mode":3"#) }, "\(located.lines)")
    try await watch(board) { await wait(epochs: 2, $0) }
    let status = try await board.run("status")
    #expect(status.code == 0)
    #expect(status.lines.contains { $0.contains(/^source .*running, fix .* old$/) })
    #expect(status.lines.contains { $0.contains(/^sink all +running +[1-9]/) })
    #expect(status.lines.allSatisfy { $0.count <= 80 }, "\(status.lines)")
    let json = try await board.run("status", "--json")
    #expect(json.lines.count == 1)
    #expect(json.lines.first?.contains(#""daemon":{"release":"#) == true)
  }

  @Test func `run serves locate, watch and status from a simulated source`() async throws {
    let board = try DaemonFixture()
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + board.sink("jsonlines", name: "all", file: "all.jsonl"))
    try await board.use { _ in try await Self.expectServed(board) }
  }

  @Test func `run serves locate, watch and status from a serial receiver`() async throws {
    let board = try DaemonFixture()
    try await Self.withReceiver { devnode in
      try board.configure(
        DaemonFixture.source("type = \"serial\"\ndevice = \"\(devnode)\"")
          + board.sink("jsonlines", name: "all", file: "all.jsonl"))
      try await board.use { _ in try await Self.expectServed(board) }
    }
  }

  @Test func `when a reload changes one sink, the other sinks lose no epoch`() async throws {
    let board = try DaemonFixture()
    try await Self.withReceiver { devnode in
      func configure(_ file: String) throws {
        try board.configure(
          DaemonFixture.source("type = \"serial\"\ndevice = \"\(devnode)\"")
            + board.sink("jsonlines", name: "all", file: "all.jsonl")
            + board.sink("jsonlines", name: "other", file: file))
      }
      try configure("one.jsonl")
      try await board.use { daemon in
        let seen = try await Self.watch(board) { lines in
          await Self.wait(epochs: 5, lines)
          try configure("two.jsonl")
          daemon.send(SIGHUP)
          await DaemonFixture.wait(for: "configuration reloaded: sink other changed", daemon)
          await Self.wait(epochs: 10, lines)
          return lines.events
        }
        #expect(await daemon.end() == 0)
        let (watched, written) = (
          DaemonFixture.epochs(in: seen), DaemonFixture.epochs(in: try board.lines(of: "all.jsonl"))
        )
        for epochs in [watched, written] {
          #expect(epochs.count >= 15)
          #expect(zip(epochs, epochs.dropFirst()).allSatisfy { $1 - $0 == 200 }, "\(epochs)")
        }
        #expect(Set(watched).isSubset(of: written))
        for file in ["one.jsonl", "two.jsonl"] {
          #expect(try !DaemonFixture.epochs(in: board.lines(of: file)).isEmpty, "\(file)")
        }
      }
    }
  }

  @Test
  func `a reload that adds a source loses no epoch; one that removes a source uses the other source`() async throws {
    let board = try DaemonFixture()
    func source(_ devnode: String) -> String {
      DaemonFixture.source("type = \"serial\"\ndevice = \"\(devnode)\"")
    }
    @Sendable func isReport(_ line: String, of devnode: String) -> Bool {
      line.contains("\"TPV\"") && line.contains("\"device\":\"\(devnode)\"")
    }
    try await Self.withReceiver { first in
      try board.configure(source(first))
      try await board.use { daemon in
        try await Self.watch(board) { lines in
          await Self.wait(epochs: 5, lines)
          try await ChildProcess.use(path: Program.path, arguments: ["simulate"]) { other in
            let second = try #require(await other.lines.wait(for: 1).first)
            // Stops the other receiver, so that the daemon does not prefer it.
            other.send(SIGSTOP)
            let read = try await Self.bytesRead(board)
            try board.configure(source(second) + source(first))
            daemon.send(SIGHUP)
            await DaemonFixture.wait(for: "configuration reloaded: source serial:\(second) added", daemon)
            #expect(try await Self.bytesRead(board) >= read, "the port was reopened")
            await Self.wait(epochs: 10, lines)
            let epochs = DaemonFixture.epochs(in: lines.events.filter { isReport($0, of: first) })
            #expect(epochs.count >= 15)
            #expect(zip(epochs, epochs.dropFirst()).allSatisfy { $1 - $0 == 200 }, "\(epochs)")
            let status = try await board.run("status")
            let name = "source         \(second), \(first) running"
            #expect(status.lines.contains { $0.hasPrefix(name) }, "\(status.lines)")
            try board.configure(source(second))
            daemon.send(SIGHUP)
            await DaemonFixture.wait(for: "configuration reloaded: source serial:\(first) removed", daemon)
            other.send(SIGCONT)
            await lines.wait { $0.contains { isReport($0, of: second) } }
            let count = lines.events.count
            try board.configure(source(first))
            daemon.send(SIGHUP)
            await lines.wait { $0.dropFirst(count).contains { isReport($0, of: first) } }
          }
        }
      }
    }
  }

  @Test
  func `with an invalid file the previous configuration stays active, and status reports the error`() async throws {
    let board = try DaemonFixture()
    let good = DaemonFixture.source("type = \"simulated\"")
    try board.configure(good)
    try await board.use { daemon in
      try board.configure("[[sink]]\ntype = \"gxp\"\n")
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "the previous one stays active", daemon)
      let status = try await board.run("status")
      #expect(status.code == 0)
      #expect(status.lines.contains { $0.contains(/^configuration +invalid; previous/) })
      // Long lines are wrapped between words.
      let words = status.lines.joined(separator: " ").split(separator: " ")
      #expect(words.joined(separator: " ").contains("; did you mean \"gpx\"?"), "\(status.lines)")
      #expect(try await board.run("locate", "--timeout", "20").code == 0)
      try board.configure(good)
      daemon.send(SIGHUP)
      await DaemonFixture.wait(for: "the configuration is valid again", daemon)
      let after = try await board.run("status")
      #expect(
        !after.lines.contains {
          $0.contains("previous configuration") || $0.contains("did you mean")
        })
    }
  }

  @Test func `the daemon and commands take the socket and the state directory from the environment`() async throws {
    let board = try DaemonFixture()
    let environment = board.environment.merging(["FIXCAST_STATE_DIRECTORY": board.path + "/answers"]) { $1 }
    try board.folder.write("config.toml", "[weather]\nenabled = false\n" + DaemonFixture.source("type = \"simulated\""))
    try board.folder.makeFolder("root")
    // Checks the paths first, because with a wrong path the daemon would use the default socket.
    let shown = try await Program.run("check-config", board.configuration, "--show", environment: environment)
    try #require(
      shown.lines.contains { $0.contains(/^daemon\.socket .*\/s" +FIXCAST_SOCKET$/) },
      "\(shown.lines)")
    try await board.use(environment: environment) { daemon in
      #expect(daemon.lines.events.contains { $0.hasSuffix("serving on \(board.path)/s") })
      let allowed = try await Program.run(
        "auth", "allow", "uid=65534", "--always", environment: environment)
      #expect(allowed.code == 0, "\(allowed.lines)")
      let located = try await ChildProcess.use(
        path: "/usr/bin/setpriv",
        arguments: [
          "--reuid=65534", "--regid=65534", "--clear-groups", Program.path, "locate", "--timeout",
          "20",
        ], environment: environment
      ) { await $0.wait() >> 8 & 0xFF }
      #expect(located == 0)
    }
    // The environment also overrides a state directory that the file sets.
    try board.configure("")
    let written = try await Program.run(
      "check-config", board.configuration, "--show", environment: environment)
    #expect(
      written.lines.contains {
        $0.contains(/^daemon\.state_directory .*\/answers" +FIXCAST_STATE_DIRECTORY$/)
      },
      "\(written.lines)")
  }

  @Test func `on SIGTERM the daemon exits with 0 and its sinks' files are complete`() async throws {
    let board = try DaemonFixture()
    try await Self.withReceiver { devnode in
      try board.configure(
        DaemonFixture.source("type = \"serial\"\ndevice = \"\(devnode)\"")
          + board.sink("jsonlines", name: "lines", file: "all.jsonl")
          + board.sink("gpx", name: "track", file: "track.gpx") + "interval_seconds = 0\n")
      try await board.use { daemon in
        try await Self.watch(board) { await Self.wait(epochs: 10, $0) }
        #expect(await daemon.end() == 0)
        #expect(access(board.path + "/s", F_OK) != 0)
        #expect(try board.folder.read("all.jsonl").hasSuffix("}\n"))
        let lines = try board.lines(of: "all.jsonl")
        #expect(lines.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil })
        let track = try await ChildProcess.use(
          path: "/usr/bin/python3",
          arguments: [
            "-c",
            "import sys, xml.dom.minidom as d; "
              + "print(len(d.parse(sys.argv[1]).getElementsByTagName('trkpt')))",
            board.path + "/track.gpx",
          ]
        ) {
          _ = await $0.wait()
          return $0.lines.events
        }
        let points = try #require(Int(track.first ?? ""), "\(track)")
        #expect(points >= 9)
        #expect(points <= DaemonFixture.epochs(in: lines).count)
      }
    }
  }

  @Test func `a second daemon on the same socket exits with 69 and opens no files`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try await board.use { _ in
      let other = board.path + "/other.toml"
      let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
      let sinks =
        board.sink("jsonlines", name: "all", file: "all.jsonl")
        // A sink that would cause a warning if the daemon started.
        + board.sink("jsonlines", name: "none", file: "none/all.jsonl")
      try (text + sinks).write(toFile: other, atomically: true, encoding: .utf8)
      let (lines, code) = try await board.run("run", "--config", other)
      #expect(code == 69)
      #expect(
        lines == [
          "fixcast: \(board.path)/s: another daemon is already running, see: fixcast status; "
            + "stop it first (the service: sudo systemctl stop fixcast)"
        ])
      #expect(access(board.path + "/all.jsonl", F_OK) != 0)
      // The first daemon still serves its socket.
      #expect(try await board.run("status").code == 0)
    }
  }

  @Test func `run exits with 78 if the configuration is invalid, with 66 if it is missing`() async throws {
    let board = try DaemonFixture()
    try board.folder.write("config.toml", "[daemon]\nsokcet = \"/x\"\nlog_level = 3\n[[sink]]\ntype = \"gxp\"\n")
    let (lines, code) = try await board.run("run", "--config", board.configuration)
    #expect(code == 78)
    #expect(lines.count == 3, "\(lines)")
    for (line, number) in zip(lines, [2, 3, 5]) {
      #expect(line.hasPrefix("\(board.configuration):\(number): "), "\(line)")
    }
    let missing = try await board.run("run", "--config", board.path + "/none.toml")
    #expect(missing.code == 66)
    #expect(missing.lines == ["fixcast: \(board.path)/none.toml: no such file; check the name"])
  }

  @Test func `the daemon notifies the service manager of readiness, watchdog and stop`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    let manager = NoticeReceiver(at: board.path + "/notify")
    try await board.use(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "500000"]) { daemon in
      await manager.wait(for: "WATCHDOG=1")
      #expect(await daemon.end() == 0)
    }
    let all = await manager.wait(for: "STOPPING=1")
    #expect(all.first?.hasPrefix("READY=1") == true, "\(all)")
    #expect(all.count { $0 == "STOPPING=1" } == 1, "\(all)")
  }

  @Test func `the log, status and doctor report an unusable state directory`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    try board.folder.write("state", "a file")
    let fault = "state_directory \(board.path)/state: Not a directory: "
    try await board.use { daemon in
      #expect(daemon.lines.events.count { $0.contains(fault) } == 1, "\(daemon.lines.events)")
      let status = try await board.run("status")
      #expect(status.lines.contains { $0.hasPrefix("state          state_directory") })
      let doctor = try await board.run("doctor")
      #expect(doctor.lines.contains { $0.hasPrefix("note  state            \(fault)") })
      #expect(await daemon.end() == 0)
    }
  }

  @Test func `the daemon notifies the service manager of its stop before it waits for plugins`() async throws {
    let board = try DaemonFixture()
    let fifo = board.path + "/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    let gate = open(fifo, O_RDWR)
    defer { close(gate) }
    try board.folder.write(
      "plugin",
      "echo $$ >\(fifo); echo '{\"class\":\"HELLO\",\"protocol\":1}'\n"
        + "cat >/dev/null; read line <\(fifo)\n")
    try board.configure(
      DaemonFixture.source("type = \"simulated\"")
        + "[[sink]]\ntype = \"exec\"\ncommand = [\"/bin/sh\", \"\(board.path)/plugin\"]\n"
        + "close_seconds = 4\n")
    let manager = NoticeReceiver(at: board.path + "/notify")
    try await board.use(environment: ["NOTIFY_SOCKET": manager.path]) { daemon in
      var (ready, number) = (pollfd(fd: gate, events: Int16(POLLIN), revents: 0), [UInt8](repeating: 0, count: 16))
      try #require(poll(&ready, 1, 20_000) == 1)
      let count = read(gate, &number, number.count)
      let plugin = pid_t(String(decoding: number.prefix(max(count, 0)), as: UTF8.self).filter(\.isNumber))
      async let code = daemon.end()
      await manager.wait(for: "STOPPING=1")
      #expect(kill(try #require(plugin), 0) == 0)
      #expect(write(gate, "\n", 1) == 1)
      #expect(await code == 0)
    }
  }

  @Test(.enabled(if: DevicesCommandTests.canEmulate && getuid() == 0, "needs umockdev and root"))
  func `without a configuration and a receiver, the daemon runs and reports what is missing`() async throws {
    let board = try DaemonFixture()
    let manager = NoticeReceiver(at: board.path + "/notify")
    // The test uses the default paths, so it needs private mounts and a private network.
    let script = """
      mount -t tmpfs none /run && mount -t tmpfs none /var/lib && mount --bind /dev/null \
      /etc/default/gpsd 2>/dev/null
      ip link set lo up
      exec umockdev-run -- \(Program.path) run
      """
    try await ChildProcess.use(
      path: "/usr/bin/unshare", arguments: ["-mn", "sh", "-c", script],
      environment: [
        "FIXCAST_ROOT": board.path + "/root", "NOTIFY_SOCKET": manager.path,
        "WATCHDOG_USEC": "500000",
      ]
    ) { daemon in
      await DaemonFixture.wait(for: "serving on /run/fixcast/fixcast.sock", daemon)
      let messages = await manager.messages.wait { $0.contains { $0.contains("no network") } }
      // Watchdog messages may follow this message, so it need not be the last one.
      let line = messages.first { $0.contains("no network") }
      #expect(line?.contains("STATUS=no receiver yet") == true, "\(messages)")
      #expect(await daemon.end() == 0, "\(daemon.lines.events)")
    }
  }
}
