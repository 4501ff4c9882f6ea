// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// `fixcast check-config` as its user runs it.
@Suite(.timeLimit(.minutes(1)))
struct CheckConfigCommandTests {
  @Test("without any file nothing is wrong, and it says what would run")
  func nothing() async throws {
    let root = try ScratchFolder()
    let (lines, code) = try await Program.run(
      "check-config", environment: ["FIXCAST_ROOT": root.path])
    #expect(code == 0)
    #expect(lines.prefix(3) == ["nothing is wrong", "sources: auto", "weather: openmeteo"])
  }

  @Test("all that is wrong, a line each, and exits 78; in JSON too")
  func wrong() async throws {
    let file = try ScratchFile("[daemon]\nsokcet = \"/x\"\nlog_level = 3\n".utf8)
    let (lines, code) = try await Program.run("check-config", file.path)
    #expect(code == 78)
    #expect(
      lines == [
        "\(file.path):2: daemon: unknown key \"sokcet\"; did you mean \"socket\"?",
        "\(file.path):3: daemon.log_level: takes \"trace\", \"debug\", \"info\", \"notice\", "
          + "\"warning\", \"error\", \"critical\", not a whole number",
      ])
    let (objects, jsonCode) = try await Program.run("check-config", "--json", file.path)
    #expect(jsonCode == 78)
    #expect(
      objects.first
        == #"{"class":"ERROR","message":"unknown key \"sokcet\"; did you mean \"socket\"?","#
        + #""key":"daemon","source":"\#(file.path):2"}"#)
  }

  @Test("a file that is not there is 66, one that is no TOML 78")
  func files() async throws {
    let (lines, code) = try await Program.run("check-config", "/nowhere/c.toml")
    #expect(code == 66)
    #expect(lines == ["fixcast: /nowhere/c.toml: no such file"])
    let file = try ScratchFile("[ = 1".utf8)
    #expect(try await Program.run("check-config", file.path).code == 78)
  }

  @Test("a sink's relative path is wrong, and it says what to write; standard output is none")
  func relativePaths() async throws {
    let file = try ScratchFile("[[sink]]\ntype = \"sqlite\"\nfile = \"rel.db\"\n".utf8)
    let (lines, code) = try await Program.run("check-config", file.path)
    #expect(code == 78)
    #expect(
      lines == [
        "\(file.path):3: sink.sqlite.file: has to be an absolute path, since the service runs in /, "
          + "where nothing can be written; write \"/var/lib/fixcast/rel.db\""
      ])
    let output = try ScratchFile("[[sink]]\ntype = \"jsonlines\"\nfile = \"-\"\n".utf8)
    #expect(try await Program.run("check-config", output.path).code == 0)
  }

  @Test("--show tells each value with its origin, and a secret never")
  func show() async throws {
    let file = try ScratchFile(
      "[weather]\nproviders = [\"pirateweather\"]\n[weather.pirateweather]\nkey = \"zebra5\"\n".utf8
    )
    #expect(chmod(file.path, 0o600) == 0)
    for arguments in [["--show"], ["--show", "--json"], ["--json"], []] {
      let (lines, code) = try await ChildProcess.use(
        path: Program.path, arguments: ["check-config", file.path] + arguments
      ) { process in
        let status = await process.wait()
        return (process.lines.events, status >> 8 & 0xFF)
      }
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

  @Test("says what a provider lacks")
  func provider() async throws {
    let file = try ScratchFile("[weather]\nproviders = [\"pirateweather\"]\n".utf8)
    let (lines, code) = try await Program.run("check-config", file.path)
    #expect(code == 78)
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix("name its file as key_file below [weather.pirateweather]") == true)
  }

  @Test("the default file is good, and the reference names each of its keys")
  func generated() async throws {
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
