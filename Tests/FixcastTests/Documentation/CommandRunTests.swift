// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The commands of README and articles are run beside a daemon with a simulated receiver.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CommandRunTests {
  /// Commands that are parsed only, by how they begin, and why.
  private static let parsedOnly: [(prefix: String, reason: String)] = [
    ("watch", "does not end; WatchCommandTests runs it"),
    ("demo --scene denied", "takes its time; DemoSceneTests runs it"),
    ("locate --source serial:", "opens a port of the machine; LocatePluggedTests runs it"),
    ("locate --source gpsd:", "asks a gpsd of the machine; LocateGPSDTests runs it"),
    ("weather", "may ask the internet; WeatherCommandTests runs it in a network of its own"),
  ]
  /// The exit codes beside 0 that say how this machine is, by how a command begins.
  private static let otherCodes: [(prefix: String, code: Int32)] = [
    ("doctor", 69), ("devices", 69), ("path", 69),
  ]

  private static func isParsedOnly(_ line: String) -> Bool {
    let rest = line.dropFirst("fixcast".count).trimmingPrefix(" ")
    if rest.isEmpty || rest == "demo" { return true }
    return parsedOnly.contains { rest.hasPrefix($0.prefix) }
  }

  /// The command of the document with the users of this machine in place of those of a board.
  private static func words(_ command: DocumentedCommand) -> [String] {
    command.words.dropFirst().map { $0 == "user=pi" ? "uid=1000" : $0 }
  }

  @Test func `each command that can be run here ends well`() async throws {
    let board = try DaemonBoard()
    try board.configure(DaemonBoard.source("type = \"simulated\""))
    // Commands of an ordinary user wait for an answer otherwise.
    try board.folder.write("root/etc/fixcast/policy.d/10-test.conf", "allow uid=\(geteuid())\n")
    var ran: Set<String> = []
    try await board.use { _ in
      for command in DocumentedCommand.ofProgram {
        let line = command.words.joined(separator: " ")
        guard !Self.isParsedOnly(line), ran.insert(line).inserted else { continue }
        let (lines, code) = try await board.run(Self.words(command))
        let rest = line.dropFirst("fixcast ".count)
        let codes = [0] + Self.otherCodes.filter { rest.hasPrefix($0.prefix) }.map(\.code)
        #expect(codes.contains(code), "\(command.testDescription): \(code): \(lines)")
        #expect(!lines.isEmpty, "\(command.testDescription)")
      }
    }
    #expect(ran.count >= 20, "\(ran.sorted())")
  }

  @Test func `each command that is only parsed has a reason, and each reason a command`() {
    let lines = DocumentedCommand.ofProgram.map {
      $0.words.dropFirst().joined(separator: " ")
    }
    for (prefix, _) in Self.parsedOnly {
      #expect(lines.contains { $0.hasPrefix(prefix) }, "\(prefix)")
    }
  }
}
