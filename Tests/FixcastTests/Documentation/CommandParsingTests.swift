// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import fixcast

/// The commands in README and the articles exist.
@Suite struct CommandParsingTests {
  /// Documented programs other than `fixcast`, with the test that covers each or why there is none.
  private static let others: [String: String] = [
    "scp": "needs a board; .packaging/test/follow_readme.py",
    "ssh": "needs a board; .packaging/test/follow_readme.py",
    "tee": "needs root; .packaging/test/follow_readme.py",
    "apt": "needs root and a package; .ci/test-package.sh",
    "systemctl": "needs the service; .ci/test-package.sh",
    "journalctl": "needs the service; .ci/test-package.sh",
    "install": "needs root and a key; FixcastConfigurationTests reads such a file",
    "ln": "needs root; disables a udev rule of brltty",
    "reboot": "restarts the machine; not part of Fixcast",
    "cat": "prints a file of the kernel; not part of Fixcast",
    "timedatectl": "changes the clock of the machine; not part of Fixcast",
    "cp": ".packaging/test/test_apt_repository.py runs the same command",
    "echo": "prints the input of another command",
    "debconf-set-selections": "needs root; .packaging/test/test_debconf.py",
    "cgps": "needs a terminal and the daemon on gpsd's port",
    "chronyc": "ChronySinkTests runs it against the sink",
    "mosquitto_sub": "MQTTBrokerTests runs it against the sink",
    "mosquitto_pub": "Tests/HomeAssistant sends such an empty message",
    "mosquitto_passwd": "MQTTBrokerTests makes such a file",
    "chown": "needs root and the user of the broker; not part of Fixcast",
    "curl": "DocumentedRequestTests makes the same request",
  ]

  @Test func `README and the articles contain at least 40 fixcast commands`() {
    #expect(DocumentedCommand.ofProgram.count >= 40)
  }

  @Test func `DocumentedCommand splits a line into commands as a shell does`() {
    let line = "sudo tee '/etc/a b' <<'END' && fixcast check-config | cat"
    #expect(
      DocumentedCommand.segments(of: line) == [
        ["tee", "/etc/a b"], ["fixcast", "check-config"], ["cat"],
      ])
    #expect(DocumentedCommand.lines(of: "$ a b   # why\nout\n$ c\n") == ["a b", "c"])
  }

  @Test(arguments: DocumentedCommand.ofProgram)
  func `the argument parser accepts each documented fixcast command`(command: DocumentedCommand) {
    let words = Fixcast.arguments(Array(command.words.dropFirst()))
    #expect(UnknownCommand(words, of: Fixcast.configuration) == nil)
    do { _ = try Fixcast.parseAsRoot(words) } catch {
      #expect(Fixcast.exitCode(for: error).isSuccess, "\(Fixcast.message(for: error))")
    }
  }

  @Test func `each other documented command is a make target or in the list`() throws {
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

  @Test func `each program in the list of other programs occurs in a document`() {
    let used = Set(DocumentedCommand.all.map(\.program))
    for name in Self.others.keys { #expect(used.contains(name), "\(name)") }
  }
}
