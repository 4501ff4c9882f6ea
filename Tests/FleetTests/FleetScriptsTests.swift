// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

@testable import fixcast_fleet

/// A script in `Tests/Fleet`, with the programs that it needs.
struct TestScript: CustomTestStringConvertible, Sendable {
  static let root = URL(filePath: #filePath).appending(path: "../../..").standardized.path

  let arguments: [String]
  let programs: [String]

  var testDescription: String { arguments.joined(separator: " ") }

  static let all = [
    TestScript(arguments: ["acl.py", "mosquitto"], programs: ["mosquitto"]),
    TestScript(arguments: ["acl.py", "nats"], programs: ["nats-server"]),
    TestScript(arguments: ["weather_cache.py"], programs: ["nginx"]),
    TestScript(
      arguments: [
        "run.py", "--broker", "mosquitto", "--boards", "10", "--processes", "2", "--seconds", "15",
        "--drain", "600",
        "--faults", "consumer",
      ], programs: ["mosquitto"]),
    TestScript(
      arguments: [
        "run.py", "--broker", "nats", "--boards", "10", "--processes", "2", "--seconds", "15",
        "--drain", "600",
        "--faults", "node",
      ], programs: ["nats-server"]),
  ]

  /// Whether the programs are installed.
  var isPossible: Bool {
    programs.allSatisfy {
      access("/usr/sbin/" + $0, X_OK) == 0 || access("/usr/bin/" + $0, X_OK) == 0
    }
  }
}

@Suite("Fleets on loopback", .enabled(if: TestDatabase.isInstalled))
struct FleetScriptsTests {
  @Test(
    .timeLimit(.minutes(30)),
    arguments: TestScript.all.filter(\.isPossible))
  func `the script of a fleet succeeds`(_ script: TestScript) async throws {
    let (lines, code) = try await ChildProcess.run(
      path: "/usr/bin/env",
      arguments: ["python3", "-B", TestScript.root + "/Tests/Fleet/" + script.arguments[0]]
        + script.arguments.dropFirst())
    #expect(code == 0, "\(lines.joined(separator: "\n"))")
  }

  @Test func `PostgreSQL accepts each query of the article`() async throws {
    let article = try String(
      contentsOfFile: TestScript.root + "/Sources/fixcast/fixcast.docc/FleetDatabase.md",
      encoding: .utf8)
    let queries = article.matches(of: #/<!-- sql -->\n\n(?<text>(?:    .*\n)+)/#).map {
      String($0.text)
    }
    #expect(queries.count >= 4)
    let folder = try ScratchFolder()
    let database = try await TestDatabase(folder)
    try await database.use { _ in
      let store = try await FleetStore.connect(database.options)
      _ = try await store.migrate()
      for query in queries {
        try await store.perform { connection throws(PostgresError) in
          try connection.execute(query)
        }
      }
    }
  }
}
