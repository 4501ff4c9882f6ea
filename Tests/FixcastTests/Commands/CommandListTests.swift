// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The list of subcommands and the errors of the command line.
@Suite struct CommandListTests {
  @Test func `the help lists exactly the subcommands that have a source file`() async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/fixcast/Commands")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix("Command.swift") }
      .map { $0.replacing("Command.swift", with: "").lowercased() }
    let help = try await Program.run("--help").lines
    let listed = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst()
      .prefix { !$0.isEmpty }
      .compactMap {
        $0.hasPrefix("  ") && !$0.hasPrefix("   ") ? $0.split(separator: " ").first : nil
      }
      .map(String.init)
    #expect(!listed.isEmpty)
    #expect(Set(files) == Set(listed.map { $0.replacing("-", with: "") }))
  }

  @Test(arguments: [
    ("wether", "fixcast: 'wether' is not a subcommand; did you mean: fixcast weather"),
    ("loacte", "fixcast: 'loacte' is not a subcommand; did you mean: fixcast locate"),
    (
      "checkconfig",
      "fixcast: 'checkconfig' is not a subcommand; did you mean: fixcast check-config"
    ),
    ("stop", "fixcast: 'stop' is not a subcommand; for the service: sudo systemctl stop fixcast"),
    ("where", "fixcast: 'where' is not a subcommand; see: fixcast --help"),
  ])
  func `an unknown subcommand is rejected with the most similar subcommand or a hint`(_ word: String, _ answer: String)
    async throws
  {
    let (lines, code) = try await Program.run(word, "--json")
    #expect(code == 64)
    #expect(lines == [answer])
  }

  @Test(arguments: [
    (["locate", "--jsno"], "unknown option '--jsno'; did you mean '--json'?"),
    (["locate", "--zzzzzzzz"], "unknown option '--zzzzzzzz'; see: fixcast locate --help"),
    (["status", "a", "b"], "2 unexpected arguments: 'a', 'b'; see: fixcast status --help"),
    (
      ["locate", "--timeout"],
      "missing value for '--timeout <timeout>': time limit in seconds, 1 to 3600; see: fixcast locate --help"
    ),
    (
      ["locate", "--timeout", "soon"],
      "the value 'soon' is invalid for '--timeout <timeout>': time limit in seconds, 1 to 3600; see: fixcast locate --help"
    ),
    (
      ["locate", "--timeout", "0"],
      "--timeout takes 1 to 3600 seconds, not 0; see: fixcast locate --help"
    ),
    (["replay"], "missing expected argument '<file>': the log; see: fixcast replay --help"),
    (
      ["auth", "allow", "--for\u{1b}"],
      "unknown option '--for?'; did you mean '--for'?"
    ),
    (
      ["check-config", "--reference", "--show"],
      "--reference and --default-file cannot be combined with other options or a file; see: fixcast check-config --help"
    ),
    (["--bogus-option"], "unknown option '--bogus-option'; see: fixcast --help"),
  ])
  func `a usage error is one line with a hint`(_ words: [String], _ answer: String) async throws {
    let (lines, code) = try await ChildProcess.run(path: Program.path, arguments: words)
    #expect(code == 64)
    #expect(lines == ["fixcast: " + answer])
  }

  @Test(arguments: [
    (["--help"], "USAGE: fixcast <subcommand>"), (["help", "locate"], "USAGE: fixcast locate"),
    (["auth", "allow", "-h"], "USAGE: fixcast auth allow"),
    ([], "USAGE: fixcast <subcommand>"), (["--version"], "."),
    (["--generate-completion-script", "bash"], "complete "),
  ])
  func `help, version and completions exit with 0`(_ words: [String], _ text: String) async throws {
    let (lines, code) = try await ChildProcess.run(path: Program.path, arguments: words)
    #expect(code == 0)
    #expect(!lines.contains { $0.hasPrefix("fixcast: ") })
    #expect(!lines.isEmpty && lines.joined(separator: "\n").contains(text), "\(lines)")
  }
}
