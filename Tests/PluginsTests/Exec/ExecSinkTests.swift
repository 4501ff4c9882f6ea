// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("External program as a sink", .timeLimit(.minutes(5)))
struct ExecSinkTests {
  static let event = ErrorEvent(source: "a", message: "b")

  @Test
  func `a program gets events as JSON lines, and has processed all events when the sink has stopped`() async throws {
    let script = try ExecScript()
    let sink = script.sink(try script.command(ExecScript.hello + "cat >\"$FOLDER/out\"; echo done >>\"$FOLDER/out\""))
    try await sink.start()
    try await sink.receive(LocationEvent(.at(1, 2)))
    try await sink.receive(Self.event)
    await sink.stop()
    let expected = [
      #"{"class":"HELLO","protocol":1,"role":"sink","name":"exec"}"#,
      #"{"class":"TPV","mode":2,"lat":1.000000000,"lon":2.000000000}"#,
      #"{"class":"ERROR","message":"b","source":"a"}"#, "done", "",
    ]
    #expect(try script.read("out") == expected.joined(separator: "\n"))
  }

  @Test func `the documentation's shell example writes the last position`() async throws {
    let script = try ExecScript()
    var command = try script.command(try documentedExample("sh"))
    command.environment["POSITION_FILE"] = script.folder.path + "/position"
    let sink = script.sink(command)
    try await sink.start()
    for degrees in [1.0, 2, 3] {
      try await sink.receive(LocationEvent(.at(degrees, 2)))
      try await sink.receive(Self.event)
    }
    await sink.stop()
    #expect(try script.read("position") == "{\"class\":\"TPV\",\"mode\":2,\"lat\":3.000000000,\"lon\":2.000000000}\n")
    #expect(sink.counts == ExecCounts())
  }

  @Test(arguments: [
    ("exit 3", "it ended with exit code 3"),
    ("echo the disk is gone >&2; exit 4", "it ended with exit code 4; last line of standard error: the disk is gone"),
    ("kill -SEGV $$", "it was ended by signal 11 (Segmentation fault)"),
  ])
  func `the error for an ended program contains its exit status and last line of standard error`(
    end: String, why: String
  ) async throws {
    let script = try ExecScript()
    let command = try script.command(ExecScript.hello + "read a; read b; " + end)
    let sink = script.sink(command)
    try await sink.start()
    try await sink.receive(Self.event)
    let error = await #expect(throws: PluginError.self) {
      // The pipe may accept a few more events before the program has ended.
      while true { try await sink.receive(Self.event) }
    }
    await sink.stop()
    #expect(error == PluginError(.transient(), "/bin/sh", why: why))
  }

  @Test(arguments: [
    ("", Duration.seconds(90)), (#"echo '{"class":"ERROR","message":"other"}'; "#, nil),
    (#"echo '{"class":"LATER"}'; "#, nil), ("echo plain; ", .seconds(90)),
  ])
  func `an ended program's error contains the restart delay from the program's last message`(
    extraLine: String, wait: Duration?
  ) async throws {
    let script = try ExecScript()
    let sink = script.sink(
      try script.command(
        ExecScript.hello + "echo '{\"class\":\"ERROR\",\"message\":\"busy\",\"retryAfter\":90}'\n"
          + extraLine + "exit 75"))
    let error = await #expect(throws: PluginError.self) {
      try await sink.start()
      while true { try await sink.receive(Self.event) }
    }
    await sink.stop()
    #expect(error?.kind == .transient(retryAfter: wait), "\(String(describing: error))")
    #expect(error?.why.hasPrefix("it ended with exit code 75") == true)
  }

  @Test func `a program that is missing or not executable is reported with the reason`() async throws {
    let script = try ExecScript()
    try script.folder.write("plain", "text")
    for (path, why) in [
      (script.folder.path + "/none", "No such file or directory"),
      (script.folder.path + "/plain", "Permission denied"),
      ("no-such-program-at-all", "program not found in PATH"),
    ] {
      let sink = script.sink(ExecCommand([path]))
      let error = await #expect(throws: PluginError.self) { try await sink.start() }
      await sink.stop()
      #expect(error?.isTransient == true)
      #expect(error?.what == path)
      #expect(error?.why == "it cannot be started: \(why)")
    }
  }

  @Test func `a program that sends no HELLO in time is ended, and the error contains advice`() async throws {
    let script = try ExecScript()
    let clock = ManualClock()
    let sink = script.sink(try script.command("echo not yet >&2; exec cat >/dev/null"), clock: clock)
    let start = Task { try await sink.start() }
    await script.waitForLine("not yet")
    await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    let error = await #expect(throws: PluginError.self) { try await start.value }
    #expect(error?.why.hasPrefix("it sent no HELLO within 10.0 s") == true)
    #expect(error?.why.contains("set hello = false if it does not use") == true)
    await sink.stop()
  }

  @Test
  func `a program with another protocol version is rejected; a banner before its HELLO is ignored`() async throws {
    let script = try ExecScript()
    let sink = script.sink(try script.command("echo banner\necho '{\"class\":\"HELLO\",\"protocol\":2}'\ncat"))
    let error = await #expect(throws: PluginError.self) { try await sink.start() }
    await sink.stop()
    #expect(error?.kind == .unsupported)
    #expect(sink.counts.invalidLines == 1)
    #expect(script.notices.events == ["exec: invalid message: banner; further ones are only counted"])
  }

  @Test func `a program's unusable output is counted, and is logged within the rate limit`() async throws {
    let script = try ExecScript()
    var command = try script.command(
      ExecScript.hello
        + """
        echo '{"class":"LATER"}'; echo '{"class":"ERROR","message":"low"}'; echo plain
        printf '%070d\\n' 1; i=0; while [ $i -lt 100 ]; do echo "line $i" >&2; i=$((i+1)); done
        read hello; read event; echo last >&2; cat >/dev/null
        """)
    command.limitBytes = 64
    let sink = script.sink(command)
    try await sink.start()
    try await sink.receive(Self.event)
    await sink.stop()
    var counts = ExecCounts()
    counts.invalidLines = 1
    counts.overlongLines = 1
    counts.unknownMessages = 1
    #expect(sink.counts == counts)
    let logged = script.notices.events
    #expect(logged.count == 20)
    #expect(logged.contains("exec: line 0"))
  }

  @Test
  func `a program that ignores the end of its input is sent signals and killed with its process group`() async throws {
    let script = try ExecScript()
    var command = try script.command(
      """
      trap '' TERM
      sh -c 'trap "" TERM; echo $$; echo $$ >"$FOLDER/child"; while :; do sleep 1000; done' >&2 &
      while [ ! -s "$FOLDER/child" ]; do :; done
      echo $$ >"$FOLDER/parent"
      \(ExecScript.hello)
      while :; do sleep 1000; done
      """)
    command.closeSeconds = 0.05
    command.killSeconds = 0.05
    let sink = script.sink(command)
    try await sink.start()
    let parent = try #require(pid_t(try script.read("parent").filter(\.isNumber)))
    let child = try #require(pid_t(try script.read("child").filter(\.isNumber)))
    let handle = pidfd(child)
    try #require(handle >= 0)
    defer { close(handle) }
    await sink.stop()
    // The process does not exist, not even as a zombie.
    #expect(kill(parent, 0) == -1)
    // Wait for the end of the other process, which is not a child of this process.
    var end = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    #expect(poll(&end, 1, 10_000) == 1)
  }

  @Test
  func `a program's end does not wait for a child process in another session with the same outputs`() async throws {
    let script = try ExecScript()
    var command = try script.command(
      """
      (setsid sh -c 'echo $$ >"$FOLDER/child"; exec sleep 1000' &)
      while [ ! -s "$FOLDER/child" ]; do :; done
      \(ExecScript.hello)
      exec cat >/dev/null
      """)
    command.closeSeconds = 50
    let sink = script.sink(command)
    try await sink.start()
    let child = try #require(pid_t(try script.read("child").filter(\.isNumber)))
    await sink.stop()
    kill(child, SIGKILL)
    #expect(script.notices.events.isEmpty)
  }

  @Test
  func `a program's exit status is reported even if another process holds the program's outputs open`() async throws {
    let script = try ExecScript()
    var command = try script.command("\(ExecScript.hello)sleep 1000 & read hello; exit 3")
    command.closeSeconds = 50
    let sink = script.sink(command)
    try await sink.start()
    let error = await #expect(throws: PluginError.self) {
      // The pipe may accept a few more events before the program has ended.
      while true { try await sink.receive(Self.event) }
    }
    await sink.stop()
    #expect(error?.why == "it ended with exit code 3")
    #expect(script.notices.events.isEmpty)
  }

  /// `pidfd_open(2)`, which the Glibc module does not export; -1 if it fails.
  private func pidfd(_ number: pid_t) -> Int32 {
    typealias Call = @convention(c) (pid_t, UInt32) -> Int32
    guard let symbol = dlsym(nil, "pidfd_open") else { return -1 }
    return unsafeBitCast(symbol, to: Call.self)(number, 0)
  }

  @Test
  func `a program that does not read its input is ended when the sink's receive call is cancelled`() async throws {
    let script = try ExecScript()
    var command = try script.command(ExecScript.hello + "exec sleep 1000")
    command.killSeconds = 0.05
    let sink = script.sink(command)
    try await sink.start()
    let long = ErrorEvent(source: "a", message: String(repeating: "x", count: 1 << 20))
    let call = Task { try await sink.receive(long) }
    call.cancel()
    let error = await #expect(throws: PluginError.self) { try await call.value }
    #expect(error?.isTransient == true)
    await sink.stop()
  }

  @Test func `a program gets three descriptors, its own session, and no variables of systemd`() async throws {
    let script = try ExecScript()
    // Open a descriptor without close-on-exec, as a library may do.
    let stray = open("/dev/null", O_RDONLY)
    defer { close(stray) }
    setenv("NOTIFY_SOCKET", "/run/notify", 1)
    setenv("CREDENTIALS_DIRECTORY", "/run/credentials", 1)
    defer {
      unsetenv("NOTIFY_SOCKET")
      unsetenv("CREDENTIALS_DIRECTORY")
    }
    // The pipe is in a subshell, because the listed shell may not have closed its ends yet.
    var command = try script.command(
      """
      env >"$FOLDER/env"
      (ls -l /proc/$$/fd | sed -n 's/.* \\([0-9]*\\) -> .*/\\1/p' >"$FOLDER/fd")
      ps -o sid= -p $$ >"$FOLDER/sid"; echo $$ >"$FOLDER/pid"
      \(ExecScript.hello)
      cat
      """)
    command.environment["MINE"] = "yes"
    let sink = script.sink(command)
    try await sink.start()
    await sink.stop()
    // Ignore the descriptor of the script, which the shell keeps open.
    let descriptors = try script.read("fd").split(separator: "\n").map(String.init)
    #expect(descriptors.filter { $0 != "10" } == ["0", "1", "2"])
    let names = try script.read("env").split(separator: "\n").compactMap {
      $0.split(separator: "=").first.map(String.init)
    }
    let allowed = [
      "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "FOLDER", "MINE",
    ]
    // Ignore the variables that the shell itself sets.
    #expect(Set(names).subtracting(allowed).subtracting(["PWD", "OLDPWD", "_", "SHLVL"]) == [])
    #expect(names.contains("MINE"))
    let session = try script.read("sid").filter(\.isNumber)
    #expect(session == (try script.read("pid").filter(\.isNumber)))
  }

  @Test func `a program's environment includes the variables from its environment files`() async throws {
    let script = try ExecScript()
    try script.folder.write("env", "# a token\n\nTOKEN=a=b c\r\nOTHER=\n")
    #expect(chmod(script.folder.path + "/env", 0o600) == 0)
    var command = try script.command(ExecScript.hello + "echo \"$TOKEN,$OTHER.\" >\"$FOLDER/out\"; cat >/dev/null")
    command.environmentFiles = [script.folder.path + "/env"]
    let sink = script.sink(command)
    try await sink.start()
    await sink.stop()
    #expect(try script.read("out") == "a=b c,.\n")
  }

  @Test(arguments: [
    ("TOKEN=1\nzebra\n", "line 2 is not NAME=value; the file is read again at the next start"),
    ("=zebra\n", "line 1 is not NAME=value; the file is read again at the next start"),
    (nil, "cannot be read: No such file or directory"),
  ])
  func `an invalid environment file is reported with the line number and without its content`(
    text: String?, why: String
  ) async throws {
    let script = try ExecScript()
    if let text {
      try script.folder.write("env", text)
      #expect(chmod(script.folder.path + "/env", 0o600) == 0)
    }
    var command = try script.command(ExecScript.hello + "cat >/dev/null")
    command.environmentFiles = [script.folder.path + "/env"]
    let sink = script.sink(command)
    let error = await #expect(throws: PluginError.self) { try await sink.start() }
    await sink.stop()
    #expect(error == PluginError(.transient(), script.folder.path + "/env", why: why))
  }

  @Test func `a program does not start while others can read its environment file`() async throws {
    let script = try ExecScript()
    let path = script.folder.path + "/env"
    try script.folder.write("env", "TOKEN=zebra\n")
    #expect(chmod(path, 0o640) == 0)
    var command = try script.command(ExecScript.hello + "cat >/dev/null")
    command.environmentFiles = [path]
    let sink = script.sink(command)
    let error = await #expect(throws: PluginError.self) { try await sink.start() }
    await sink.stop()
    let why = "the secret in it is accessible to its group; fix it with: sudo chmod 600 \(path)"
    #expect(error == PluginError(.transient(), path, why: why))
  }

  // Runs in a separate process, since other tests open descriptors at the same time.
  @Test func `running many programs leaks no descriptors`() async throws {
    await #expect(processExitsWith: .success) {
      let script = try ExecScript()
      let command = try script.command(ExecScript.hello + "cat >/dev/null")
      func descriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
      }
      func run() async throws {
        let sink = script.sink(command)
        try await sink.start()
        try await sink.receive(ExecSinkTests.event)
        await sink.stop()
      }
      try await run()
      let before = descriptors()
      for _ in 0..<20 { try await run() }
      #expect(descriptors() <= before)
    }
  }
}
