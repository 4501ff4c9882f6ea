// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemSupport

/// The option for the database.
struct DatabaseOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Connection string or URI of libpq, such as 'host=db dbname=fleet'.",
      discussion: """
        Parameters that it lacks are those of libpq's environment, such as PGHOST, PGDATABASE and \
        PGPASSFILE.
        """))
  var database = ""

  /// Connects to the database, or ends the command with an error.
  func connect() async throws -> FleetStore {
    do throws(PostgresError) { return try await FleetStore.connect(database) } catch {
      throw FleetFailure.database(error)
    }
  }

  /// Returns the rows of a query as a table with a heading, or ends the command with an error.
  func table(_ headings: [String], _ query: String) async throws -> String {
    let store = try await connect()
    do throws(PostgresError) {
      try await store.checkVersion()
      let rows = try await store.perform { connection throws(PostgresError) in
        try connection.rows(query)
      }
      return Self.text([headings] + rows.map { $0.map { TerminalText.visible($0 ?? "-") } })
    } catch { throw FleetFailure.database(error) }
  }

  /// Aligns the columns of a table to the left.
  static func text(_ rows: [[String]]) -> String {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
