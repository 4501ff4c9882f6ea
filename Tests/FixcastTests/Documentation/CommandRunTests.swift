// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Runs the commands in README and the articles next to a daemon with a simulated receiver.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CommandRunTests {
  /// Prefixes of commands that are only parsed, with the reason.
  private static let parsedOnly: [(prefix: String, reason: String)] = [
    ("watch", "does not end; WatchCommandTests runs it"),
    ("demo --scene denied", "runs in real time; DemoSceneTests runs it"),
    ("locate --source serial:", "opens a port of the machine; LocatePluggedTests runs it"),
    ("locate --source gpsd:", "connects to a gpsd on the machine; LocateGPSDTests runs it"),
    ("track export", "needs a recorded track; TrackCommandTests runs it"),
    ("weather", "may use the internet; WeatherCommandTests runs it in a network namespace"),
  ]
  /// Exit codes other than 0 that depend on the state of the machine, by prefix of the command.
  private static let otherCodes: [(prefix: String, code: Int32)] = [
    ("doctor", 69), ("devices", 69), ("path", 69), ("web --end ", 66),
  ]

  private static func isParsedOnly(_ line: String) -> Bool {
    let rest = line.dropFirst("fixcast".count).trimmingPrefix(" ")
    if rest.isEmpty || rest == "demo" { return true }
    return parsedOnly.contains { rest.hasPrefix($0.prefix) }
  }

  /// Returns the arguments of a documented command, with user IDs instead of users of a board.
  private static func words(_ command: DocumentedCommand) -> [String] {
    let numbers = ["pi": "uid=1000", "user=pi": "uid=1000", "user=geoclue": "uid=1001"]
    return command.words.dropFirst().map { numbers[$0] ?? $0 }
  }

  @Test func `each documented command succeeds next to a daemon and prints output`() async throws {
    let board = try DaemonFixture()
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    // Without this rule, commands of an ordinary user would wait for an answer.
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

  @Test func `each prefix of the commands that are only parsed occurs in a document`() {
    let lines = DocumentedCommand.ofProgram.map {
      $0.words.dropFirst().joined(separator: " ")
    }
    for (prefix, _) in Self.parsedOnly {
      #expect(lines.contains { $0.hasPrefix(prefix) }, "\(prefix)")
    }
  }
}
