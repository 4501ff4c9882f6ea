// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The `fixcast check-config` command, run as a child process.
@Suite(.timeLimit(.minutes(5)))
struct CheckConfigCommandTests {
  @Test func `without configuration files, check-config prints the default sources and providers`() async throws {
    let root = try ScratchFolder()
    let (lines, code) = try await Program.run(
      "check-config", environment: ["FIXCAST_ROOT": root.path])
    #expect(code == 0)
    #expect(lines.prefix(3) == ["no errors", "sources: auto", "weather: openmeteo"])
  }

  @Test func `check-config prints each error as a line or JSON object, and exits with 78`() async throws {
    let file = try ScratchFile("[daemon]\nsokcet = \"/x\"\nlog_level = 3\n".utf8)
    let (lines, code) = try await Program.run("check-config", file.path)
    #expect(code == 78)
    #expect(
      lines == [
        "\(file.path):2: daemon: unknown key \"sokcet\"; did you mean \"socket\"?",
        "\(file.path):3: daemon.log_level: expected \"trace\", \"debug\", \"info\", \"notice\", "
          + "\"warning\", \"error\", \"critical\", got a whole number",
      ])
    let (objects, jsonCode) = try await Program.run("check-config", "--json", file.path)
    #expect(jsonCode == 78)
    #expect(
      objects.first
        == #"{"class":"ERROR","message":"unknown key \"sokcet\"; did you mean \"socket\"?","#
        + #""key":"daemon","source":"\#(file.path):2"}"#)
  }

  @Test func `check-config reports invalid authorization rules unless a file is given`() async throws {
    let root = try ScratchFolder()
    let policy = "etc/fixcast/policy.d/50-board.conf"
    try root.write(policy, "# who\nallow everyone\n")
    let environment = ["FIXCAST_ROOT": root.path]
    let good = try await Program.run("check-config", environment: environment)
    #expect(good.code == 0 && good.lines.first == "no errors", "\(good.lines)")
    try root.write(policy, "# who\nalow everyone\n")
    try root.write("usr/lib/fixcast/policy.d/10-image.conf", "lock everyone\n")
    try root.write("etc/fixcast/config.toml", "[daemon]\nlog_level = 3\n")
    let wrong = try await Program.run("check-config", environment: environment)
    #expect(wrong.code == 78)
    let prefixes = [
      "\(root.path)/etc/fixcast/config.toml:2: daemon.log_level: ",
      "\(root.path)/\(policy):2: 'alow' ",
      "\(root.path)/usr/lib/fixcast/policy.d/10-image.conf:1: ",
    ]
    #expect(wrong.lines.count == prefixes.count, "\(wrong.lines)")
    for (line, prefix) in zip(wrong.lines, prefixes) { #expect(line.hasPrefix(prefix), "\(line)") }
    // Invalid rules are errors even if the configuration is valid. With a given file, the rules are
    // not checked.
    try root.write("etc/fixcast/config.toml", "")
    let alone = try await Program.run("check-config", "--json", environment: environment)
    #expect(alone.code == 78 && alone.lines.count == 2, "\(alone.lines)")
    #expect(
      alone.lines.first?.hasSuffix(#""source":"\#(root.path)/\#(policy):2"}"#) == true,
      "\(alone.lines)")
    let named = try await Program.run(
      "check-config", root.path + "/etc/fixcast/config.toml", environment: environment)
    #expect(named.code == 0, "\(named.lines)")
  }

  @Test func `check-config exits with 66 if the file is missing, with 78 if it is not TOML`() async throws {
    let (lines, code) = try await Program.run("check-config", "/nowhere/c.toml")
    #expect(code == 66)
    #expect(lines == ["fixcast: /nowhere/c.toml: no such file; check the name"])
    let file = try ScratchFile("[ = 1".utf8)
    #expect(try await Program.run("check-config", file.path).code == 78)
    let folder = try ScratchFolder()
    let named = try await Program.run("check-config", folder.path)
    #expect(named.code == 66)
    #expect(
      named.lines == [
        "fixcast: \(folder.path): is a directory; give a file, or omit the argument to use the "
          + "daemon's files"
      ])
  }

  @Test(.enabled(if: BoardWarningTests.canDropPrivileges, "needs root and setpriv"))
  func `check-config reports an unreadable file with the command that lets the daemon read it`() async throws {
    let folder = try ScratchFolder()
    try folder.write("c.toml", "")
    let path = folder.path + "/c.toml"
    #expect(chmod(folder.path, 0o755) == 0 && chmod(path, 0o600) == 0)
    try await BoardWarningTests.useUnprivileged("check-config", path) { process in
      #expect(await process.wait() >> 8 & 0xFF == 78)
      #expect(
        process.lines.events == [
          "\(path): cannot be read: Permission denied; try with sudo, and allow the daemon's group to "
            + "read it: sudo chgrp fixcast \(path) && sudo chmod g+rX \(path)"
        ])
    }
  }

  @Test func `check-config rejects a sink's relative path, but accepts '-' for standard output`() async throws {
    let file = try ScratchFile("[[sink]]\ntype = \"sqlite\"\nfile = \"rel.db\"\n".utf8)
    let (lines, code) = try await Program.run("check-config", file.path)
    #expect(code == 78)
    #expect(
      lines == [
        "\(file.path):3: sink.sqlite.file: must be an absolute path, because the service runs in "
          + "/, which is not writable; write \"/var/lib/fixcast/rel.db\""
      ])
    let output = try ScratchFile("[[sink]]\ntype = \"jsonlines\"\nfile = \"-\"\n".utf8)
    #expect(try await Program.run("check-config", output.path).code == 0)
  }

  @Test func `check-config warns of a missing directory or receiver, with a remedy`() async throws {
    let folder = try ScratchFolder()
    try folder.write("plain", "")
    let sink = { (name: String, path: String) in
      "[[sink]]\ntype = \"gpx\"\nname = \"\(name)\"\nfile = \"\(folder.path)/\(path)\"\n"
    }
    try folder.write(
      "c.toml",
      "[[source]]\ntype = \"serial\"\ndevice = \"\(folder.path)/gps\"\n"
        + "[[source]]\ntype = \"serial\"\ndevice = \"\(folder.path)/plain\"\n"
        + sink("none", "none/{date}.gpx") + sink("file", "plain/a.gpx") + sink("good", "a.gpx"))
    let file = folder.path + "/c.toml"
    let (lines, code) = try await Program.run("check-config", file)
    #expect(code == 0)
    let prefix = "warning: \(file):"
    #expect(
      lines.filter { $0.hasPrefix("warning: ") } == [
        "\(prefix)3: source[1].device: there is no receiver at \(folder.path)/gps; plug it in, or "
          + "list receivers with: fixcast devices",
        "\(prefix)6: source[2].device: \(folder.path)/plain is not a serial port; list "
          + "receivers with: fixcast devices",
        "\(prefix)10: sink.none.file: folder \(folder.path)/none does not exist; create it, "
          + "or use another folder",
        "\(prefix)14: sink.file.file: \(folder.path)/plain is not a folder; use another "
          + "folder",
      ])
    #expect(lines.contains("no errors, 4 warnings") && !lines.contains("no errors"))
    let (objects, _) = try await Program.run("check-config", "--json", file)
    #expect(objects.count == 5)
    #expect(
      objects.first
        == #"{"class":"WARNING","message":"there is no receiver at \#(folder.path)/gps; plug it in, "#
        + #"or list receivers with: fixcast devices","key":"source[1].device","#
        + #""source":"\#(file):3"}"#)
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".damaged", ".damaged.2"])
  func `check-config rejects a sink's file that SQLite may create beside another sink's database`(suffix: String)
    async throws
  {
    let folder = try ScratchFolder()
    try folder.write(
      "c.toml",
      "[[sink]]\ntype = \"sqlite\"\nfile = \"\(folder.path)/t.db\"\n"
        + "[[sink]]\ntype = \"jsonlines\"\nfile = \"\(folder.path)/t.db\(suffix)\"\n")
    let file = folder.path + "/c.toml"
    let (lines, code) = try await Program.run("check-config", file)
    #expect(code == 78)
    #expect(
      lines == [
        "\(file):6: sink.jsonlines.file: may collide with a file that sink.sqlite.file "
          + "(\(file):3) creates by adding a number, date or suffix; use another name or folder"
      ])
  }

  @Test func `check-config --show prints each value with its origin, but no secret`() async throws {
    let file = try ScratchFile(
      "[weather]\nproviders = [\"pirateweather\"]\n[weather.pirateweather]\nkey = \"zebra5\"\n".utf8
    )
    #expect(chmod(file.path, 0o600) == 0)
    for arguments in [["--show"], ["--show", "--json"], ["--json"], []] {
      let (lines, code) = try await ChildProcess.run(
        path: Program.path, arguments: ["check-config", file.path] + arguments
      )
      #expect(code == 0)
      #expect(!lines.joined().contains("zebra5"))
      if arguments == ["--show"] {
        let key = lines.first { $0.hasPrefix("weather.pirateweather.key") }
        #expect(key?.split(separator: " ").dropFirst() == ["(secret)", "\(file.path):4"])
        #expect(lines.contains { $0.hasPrefix("daemon.socket") && $0.hasSuffix("default") })
      }
      if arguments == ["--show", "--json"] {
        #expect(
          lines.contains(
            #"{"class":"SETTING","key":"daemon.log_level","value":"\"info\""}"#))
      }
    }
  }

  @Test func `check-config reports a provider without an API key and names the missing setting`() async throws {
    let file = try ScratchFile("[weather]\nproviders = [\"pirateweather\"]\n".utf8)
    let (lines, code) = try await Program.run("check-config", file.path)
    #expect(code == 78)
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix("set key_file below [weather.pirateweather]") == true)
  }

  @Test func `the default configuration file is valid, and the reference lists each of its keys`() async throws {
    let (text, code) = try await Program.run("check-config", "--default-file")
    #expect(code == 0)
    let file = try ScratchFile(text.map { $0 + "\n" }.joined().utf8)
    #expect(try await Program.run("check-config", file.path).code == 0)
    let page = try await Program.run("check-config", "--reference").lines
    let keys = text.filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") && $0.contains(" = ") }
      .map { $0.dropFirst().prefix { $0 != " " } }
    #expect(keys.count > 20)
    for key in keys { #expect(page.contains { $0.hasPrefix("| `\(key)` |") }, "\(key)") }
  }
}
