// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc

@testable import fixcast_fleet

/// A PostgreSQL server in a temporary folder, which runs as an unprivileged user.
final class TestDatabase: Sendable {
  static let programs = "/usr/lib/postgresql/15/bin"
  static let isInstalled = access(programs + "/postgres", X_OK) == 0

  private let folder: String
  /// The connection string.
  var options: String { "host=\(folder) user=postgres dbname=postgres" }

  /// Creates the data of a server.
  init(_ folder: borrowing ScratchFolder) async throws {
    try folder.makeFolder("database")
    self.folder = folder.path + "/database"
    // PostgreSQL refuses to run as root.
    if getuid() == 0, let user = getpwnam("nobody") {
      chown(self.folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    let arguments = ["-D", self.folder + "/data", "-U", "postgres", "--auth=trust", "--no-sync"]
    let (lines, code) = try await ChildProcess.run(
      path: "/usr/bin/setpriv", arguments: Self.command("initdb", arguments))
    guard code == 0 else { throw PostgresError.connection(reason: lines.joined(separator: "\n")) }
  }

  private static func command(_ program: String, _ arguments: [String]) -> [String] {
    let user = getuid() == 0 ? ["--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []
    return user + [programs + "/" + program] + arguments
  }

  /// Runs the server while the body runs.
  func use<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let arguments = [
      "-D", folder + "/data", "-c", "listen_addresses=", "-c", "unix_socket_directories=\(folder)",
      "-c", "fsync=off",
    ]
    return try await ChildProcess.use(
      path: "/usr/bin/setpriv", arguments: Self.command("postgres", arguments)
    ) { server in
      await server.lines.wait { lines in lines.contains { $0.contains("ready to accept") } }
      defer { server.send(SIGINT) }
      return try await body(server)
    }
  }

  /// Runs a statement, and returns its rows as texts joined by `|`.
  func query(_ statement: String) async throws -> [String] {
    let store = try await FleetStore.connect(options)
    return try await store.perform { connection throws(PostgresError) in
      try connection.rows(statement)
    }.map { $0.map { $0 ?? "NULL" }.joined(separator: "|") }
  }
}
