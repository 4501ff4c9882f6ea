// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

@testable import fixcast

/// The example program of the article "Coming from Cocoacasts", with a running daemon.
@Suite(.timeLimit(.minutes(5))) struct BoardWeatherTests {
  private static let path = URL(filePath: Program.path).deletingLastPathComponent()
    .appending(path: "board-weather").path

  /// Runs the program on a board whose operator has answered with this command.
  private func lines(_ answer: String) async throws -> [String] {
    let board = try DaemonFixture()
    try board.folder.makeFolder("root")
    try board.configure(DaemonFixture.source("type = \"simulated\""))
    let server = try await DemoWeatherServer()
    let lines = try await board.use { _ in
      let answered = try await board.run(
        ["auth", answer, "uid=\(geteuid())"] + (answer == "allow" ? ["--always"] : [])
          + ["--state-directory", board.path + "/state"])
      try #require(answered.code == 0, "\(answered.lines)")
      return try await ChildProcess.run(
        path: Self.path, arguments: [server.baseURL], environment: board.environment
      ).lines
    }
    await server.stop()
    return lines
  }

  @Test func `the example program prints the temperature at an allowed board`() async throws {
    let lines = try await lines("allow")
    #expect(lines.count == 1)
    #expect(lines.first?.wholeMatch(of: #/-?\d+\.\d+ °C \(openmeteo\)/#) != nil, "\(lines)")
  }

  @Test func `the example program prints the reason and the remedy if it is denied`() async throws {
    #expect(
      try await lines("deny") == [
        "Unable to Fetch Weather Data for Your Location. This program is not authorized to know "
          + "your location. To grant access, see the output of fixcast auth pending."
      ])
  }
}
