// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The root command and the folder of subcommands know the same ones.
@Suite struct CommandListTests {
  @Test("each file of a command is in the list, and each of the list has its file")
  func listIsComplete() async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/fixcast")
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

  @Test(
    "a word that is no subcommand is answered with the nearest one",
    arguments: [
      ("wether", "fixcast: 'wether' is no subcommand; did you mean: fixcast weather"),
      ("loacte", "fixcast: 'loacte' is no subcommand; did you mean: fixcast locate"),
      (
        "checkconfig", "fixcast: 'checkconfig' is no subcommand; did you mean: fixcast check-config"
      ),
      ("stop", "fixcast: 'stop' is no subcommand; for the service: sudo systemctl stop fixcast"),
      ("where", "fixcast: 'where' is no subcommand; see: fixcast --help"),
    ])
  func misspelt(_ word: String, _ answer: String) async throws {
    let (lines, code) = try await Program.run(word, "--json")
    #expect(code == 64)
    #expect(lines == [answer])
  }
}
