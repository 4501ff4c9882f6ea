// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import fixcast

/// Each command of README and articles is one that there is.
@Suite struct CommandParsingTests {
  /// Commands of others, and which script or test runs them; none of them can be run here.
  private static let others: [String: String] = [
    "scp": "needs a board; .packaging/test/follow_readme.py",
    "ssh": "needs a board; .packaging/test/follow_readme.py",
    "tee": "needs root; .packaging/test/follow_readme.py",
    "apt": "needs root and a package; .ci/test-package.sh",
    "systemctl": "needs the service; .ci/test-package.sh",
    "journalctl": "needs the service; .ci/test-package.sh",
    "install": "needs root and a key; FixcastConfigurationTests read such a file",
    "timedatectl": "changes the clock of the machine; nothing of Fixcast",
    "curl": "DocumentedRequestTests makes the same request",
  ]

  @Test func `the documents have commands`() {
    #expect(DocumentedCommand.ofProgram.count >= 40)
  }

  @Test func `a line is cut into commands as a shell does`() {
    let line = "sudo tee '/etc/a b' <<'END' && fixcast check-config | cat"
    #expect(
      DocumentedCommand.segments(of: line) == [
        ["tee", "/etc/a b"], ["fixcast", "check-config"], ["cat"],
      ])
    #expect(DocumentedCommand.lines(of: "$ a b   # why\nout\n$ c\n") == ["a b", "c"])
  }

  @Test(arguments: DocumentedCommand.ofProgram)
  func `the program's own parser takes each of its commands`(command: DocumentedCommand) {
    let words = Fixcast.arguments(Array(command.words.dropFirst()))
    #expect(UnknownCommand(words, of: Fixcast.configuration) == nil)
    do { _ = try Fixcast.parseAsRoot(words) } catch {
      #expect(Fixcast.exitCode(for: error).isSuccess, "\(Fixcast.message(for: error))")
    }
  }

  @Test func `each other command is a target of make, or run by another script`() throws {
    let files = ["Makefile", ".packaging/install.mk"]
    let rules = try files.map {
      try String(contentsOf: Document.root.appending(path: $0), encoding: .utf8)
    }.joined(separator: "\n")
    for command in DocumentedCommand.all where command.program != "fixcast" {
      guard command.program == "make" else {
        #expect(Self.others[command.program] != nil, "\(command.testDescription)")
        continue
      }
      for target in command.words.dropFirst() where !target.contains("=") {
        #expect(rules.contains("\n\(target): "), "\(command.testDescription)")
      }
    }
  }

  @Test func `no reason is given for a command that no document has`() {
    let used = Set(DocumentedCommand.all.map(\.program))
    for name in Self.others.keys { #expect(used.contains(name), "\(name)") }
  }
}
