// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `fixcast-fleet status`: the shards.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the boards, the last message and the consumer of each shard.",
    discussion: """
      Reads the database only. Exits 69 if the database is not reachable, 78 if the tables are \
      missing or of another version.
      """)

  @OptionGroup var database: DatabaseOptions

  func run() async throws {
    // A lock with two keys has objsubid 2.
    print(
      try await database.table(
        ["SHARD", "BOARDS", "ONLINE", "LAST MESSAGE", "PENDING", "CONSUMER"],
        """
        SELECT to_hex(number), count(board), count(*) FILTER (WHERE online),
          date_trunc('second', now() - max(last_seen))::text || ' ago', sum(pending),
          (SELECT coalesce(host(client_addr), 'local') || ' pid ' || activity.pid
           FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
           WHERE locktype = 'advisory' AND classid = \(FleetStore.lockSpace) AND objid = number
             AND objsubid = 2 AND granted AND database = (SELECT oid FROM pg_database
               WHERE datname = current_database()))
        FROM generate_series(0, 15) AS number LEFT JOIN fleet.board ON shard = number
        GROUP BY number ORDER BY number
        """))
  }
}
