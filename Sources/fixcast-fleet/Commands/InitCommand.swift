// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast-fleet init`: the tables.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create or upgrade the tables in the database.",
    discussion: """
      Creates the schema fleet, in one transaction. Repeating the command changes nothing. The user \
      who runs this command owns the tables, and 'run' needs the same user to add a partition for \
      each month. If the extension PostGIS is installed in the database, the table fleet.fix gets a \
      column position.

      Exits 69 if the database is not reachable, 78 if the tables are of a newer version.
      """)

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    let store = try await database.connect()
    do throws(PostgresError) {
      let (before, after) = try await store.migrate()
      _ = try await store.maintainPartitions(retentionMonths: nil)
      print(
        before == after
          ? "the tables have version \(after)"
          : "the tables were upgraded from version \(before) to \(after)")
    } catch { throw FleetFailure.database(error) }
  }
}
