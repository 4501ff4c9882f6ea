// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast-fleet boards`: the boards.
struct BoardsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "boards",
    abstract: "Show each board with its last position and the age of its last message.",
    discussion: """
      Reads the database only. Exits 69 if the database is not reachable, 78 if the tables are \
      missing or of another version.
      """)

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    print(
      try await database.table(
        [
          "BOARD", "SHARD", "STATE", "LAST MESSAGE", "AGE OF FIX", "LATITUDE", "LONGITUDE", "NOTE",
          "PENDING", "PROBLEM",
        ],
        """
        SELECT board, to_hex(shard::integer), CASE WHEN online THEN 'online' WHEN NOT online THEN 'offline' END,
          date_trunc('second', now() - last_seen)::text || ' ago',
          date_trunc('second', now() - fix_time)::text, latitude, longitude,
          nullif(concat_ws(' ', CASE WHEN simulated THEN 'simulated' END,
            CASE WHEN reduced THEN 'reduced' END), ''), pending, problem
        FROM fleet.board ORDER BY board
        """))
  }
}
