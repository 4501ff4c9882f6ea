// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import fixcast

@Suite("The limit of open files", .timeLimit(.minutes(1)))
struct DescriptorLimitTests {
  @Test func `the limit of open files is raised if permitted, otherwise the command fails with advice`() {
    #expect(DescriptorLimit(soft: 44, hard: 44, needed: 44).action == .leave)
    #expect(DescriptorLimit(soft: 8, hard: 4096, needed: 44).action == .raise(44))
    #expect(
      DescriptorLimit(soft: 8, hard: 8, needed: 44).action
        == .fail(
          "the limit of open files is 8, but 44 are needed; raise it with: ulimit -n 1024, or "
            + "LimitNOFILE=1024 in the unit"))
  }

  private static func run(_ limit: String, _ words: String) async throws -> ([String], Int32) {
    let script = "ulimit \(limit); exec \"$0\" \(words)"
    return try await ChildProcess.use(
      path: "/bin/bash", arguments: ["-c", script, Program.path]
    ) { process in
      let status = await process.wait()
      return (process.lines.events, status)
    }
  }

  @Test(arguments: ["run", "weather 1.0,2.0", "watch --seconds 1", "doctor", "status"])
  func `a command exits with 69 and one line if the limit of open files is too low`(words: String) async throws {
    let (lines, status) = try await Self.run("-n 8", words)
    #expect(status >> 8 == 69 && status & 0x7f == 0, "\(lines)")
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.hasPrefix("fixcast: the limit of open files is 8, but ") == true)
  }

  @Test func `a command without sockets runs with a low limit of open files`() async throws {
    let (lines, status) = try await Self.run("-n 8", "check-config --reference")
    #expect(status == 0 && lines.count > 10)
  }

  @Test func `a low soft limit of open files is raised`() async throws {
    let (lines, status) = try await Self.run("-Sn 8", "weather 91,0")
    #expect(!lines.contains { $0.contains("limit of open files") }, "\(lines)")
    #expect(status & 0x7f == 0, "\(lines)")
  }
}
