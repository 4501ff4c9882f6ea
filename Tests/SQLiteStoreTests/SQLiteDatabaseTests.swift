// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import SQLiteStore
import SystemSupport
import Testing

@Suite("SQLite database")
struct SQLiteDatabaseTests {
  private let layout = ["CREATE TABLE entry (key TEXT PRIMARY KEY, value)"]

  @Test(arguments: [
    SQLiteValue.null, .integer(.min), .integer(.max), .real(-0.25), .real(.infinity), .text(""),
    .text("S\u{e3}o Paulo\u{0}zero"), .blob([]), .blob([0, 255, 128]),
  ])
  func `a value is read from the database exactly as written`(_ value: SQLiteValue) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    try database.run("INSERT INTO entry VALUES (?,?)", [.text("key"), value])
    #expect(try database.rows("SELECT value FROM entry") == [[value]])
  }

  @Test(arguments: [["test.sqlite"], ["test.sqlite", "test.sqlite-wal", "test.sqlite-shm"]])
  func `a database that was moved is closed, and contains all that was written`(_ names: [String]) throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    try database.run("INSERT INTO entry VALUES ('a', 1)")
    for name in names {
      #expect(rename(folder.path + "/" + name, folder.path + "/old" + name) == 0)
    }
    try database.run("INSERT INTO entry VALUES ('b', 2)")
    let error = SQLiteError.displaced(path: path, .removed)
    #expect(throws: error) { try database.checkPlace() }
    #expect(throws: error) { try database.run("INSERT INTO entry VALUES ('c', 3)") }
    #expect(throws: error) { try database.transaction {} }
    let new = try SQLiteDatabase.openOrReplace(
      path: path, layout: layout, pageBytes: 1024, checkedBy: "SELECT key FROM entry", after: error)
    #expect(new.takeNotice() == "\(error)")
    try new.checkPlace()
    #expect(try new.rows("SELECT * FROM entry").isEmpty)
    let old = try SQLiteDatabase(path: folder.path + "/oldtest.sqlite", layout: layout)
    #expect(try old.rows("SELECT key FROM entry") == [[.text("a")], [.text("b")]])
  }

  @Test func `a database whose log was removed is complete after it was closed`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    try folder.remove("test.sqlite-wal")
    try database.run("INSERT INTO entry VALUES ('a', 1)")
    #expect(throws: SQLiteError.displaced(path: path + "-wal", .removed)) {
      try database.checkPlace()
    }
    #expect(try SQLiteDatabase(path: path, layout: layout).rows("SELECT key FROM entry") == [[.text("a")]])
  }

  @Test func `a database that SQLite itself shortens is not regarded as truncated`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    for number in 0..<200 {
      try database.run(
        "INSERT INTO entry VALUES (?, ?)",
        [.integer(Int64(number)), .blob([UInt8](repeating: 1, count: 10_000))])
      try database.checkPlace()
    }
    try database.run("DELETE FROM entry")
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try database.checkPlace()
    #expect(database.takeNotice() == nil)
  }

  @Test func `SQLiteDatabase stores NaN as NULL`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    try database.run("INSERT INTO entry VALUES (?,?)", [.text("key"), .real(.nan)])
    #expect(try database.rows("SELECT value FROM entry") == [[.null]])
  }

  @Test func `a transaction that throws is rolled back`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    #expect(throws: SQLiteError.self) {
      try database.transaction { () throws(SQLiteError) in
        try database.run("INSERT INTO entry VALUES ('a', 1)")
        try database.run("INSERT INTO entry VALUES ('a', 2)")
      }
    }
    #expect(try database.rows("SELECT * FROM entry").isEmpty)
    try database.run("INSERT INTO entry VALUES ('a', 3)")
    #expect(try database.rows("SELECT value FROM entry") == [[.integer(3)]])
  }

  @Test func `an older database is upgraded with the newer statements of the layout`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    do {
      let database = try SQLiteDatabase(path: path, layout: layout)
      try database.run("INSERT INTO entry VALUES ('a', 1)")
    }
    let newer = layout + ["ALTER TABLE entry ADD COLUMN note TEXT DEFAULT 'none'"]
    do {
      let database = try SQLiteDatabase(path: path, layout: newer)
      #expect(try database.rows("SELECT * FROM entry") == [[.text("a"), .integer(1), .text("none")]])
    }
    #expect(throws: SQLiteError.tooNew(path: path, version: 2, known: 1)) {
      try SQLiteDatabase(path: path, layout: layout)
    }
  }

  @Test func `a file that is not a database is reported as damaged and left unchanged`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    try folder.write("test.sqlite", "no database at all, but longer than a header ............")
    #expect {
      try SQLiteDatabase(path: path, layout: layout)
    } throws: { error in
      guard case SQLiteError.damaged(let named, _) = error else { return false }
      return named == path
    }
    #expect(try folder.read("test.sqlite").hasPrefix("no database"))
  }

  @Test func `only the owner can read a new database file`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    _ = try SQLiteDatabase(path: path, layout: layout)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `the error for a database in a missing folder contains the path`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/none/test.sqlite"
    #expect {
      try SQLiteDatabase(path: path, layout: layout)
    } throws: { error in
      guard case SQLiteError.unusable(let named, let reason) = error else { return false }
      return named == path && reason == "No such file or directory"
    }
  }

  private func refusal(_ path: String) -> String? {
    do throws(SQLiteError) {
      _ = try SQLiteDatabase(path: path, layout: layout)
      return nil
    } catch { return "\(error)" }
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `a database or log that is a symbolic link is refused, and the target is not created`(suffix: String) throws {
    let folder = try ScratchFolder()
    let (path, target) = (folder.path + "/test.sqlite", folder.path + "/target")
    #expect(symlink(target, path + suffix) == 0)
    let name = suffix.isEmpty ? "it" : path + suffix
    #expect(refusal(path)?.hasPrefix("\(path): \(name) is a symbolic link") == true)
    #expect(folder.names() == ["test.sqlite" + suffix])
    #expect(SQLiteDatabase.obstacle(at: path)?.contains("symbolic link") == true)
  }

  @Test func `a database with a second hard link is refused and left unchanged`() throws {
    let folder = try ScratchFolder()
    try folder.write("precious", "")
    #expect(link(folder.path + "/precious", folder.path + "/test.sqlite") == 0)
    #expect(refusal(folder.path + "/test.sqlite")?.contains("has 2 hard links") == true)
    #expect(try folder.read("precious").isEmpty)
  }

  @Test func `a database in a folder that is a symbolic link is opened`() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("real")
    #expect(symlink("real", folder.path + "/data") == 0)
    let path = folder.path + "/data/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    #expect(database.path == path)
    #expect(refusal(path) == nil, "a second connection")
    #expect(try !folder.bytes("real/test.sqlite").isEmpty)
  }

  @Test(.needsRoot)
  func `root refuses a database of another user or in another user's folder`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    try folder.write("test.sqlite", "")
    #expect(chown(path, 12345, 12345) == 0)
    #expect(refusal(path)?.contains("it belongs to uid 12345") == true)
    try folder.remove("test.sqlite")
    #expect(chown(folder.path, 12345, 12345) == 0)
    #expect(refusal(path)?.contains("its folder \(folder.path) belongs to uid 12345") == true)
    #expect(folder.names().isEmpty)
    #expect(chown(folder.path, 0, 0) == 0 && chmod(folder.path, 0o777) == 0)
    #expect(refusal(path)?.contains("is writable by all users") == true)
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(refusal(path) == nil)
  }

  @Test func `a transaction is synced to disk unless isSynced is false`() throws {
    let folder = try ScratchFolder()
    let database = try SQLiteDatabase(path: folder.path + "/test.sqlite", layout: layout, pageBytes: 1024)
    #expect(try database.rows("PRAGMA synchronous") == [[.integer(2)]])
    try database.transaction(isSynced: false) {}
    #expect(try database.rows("PRAGMA synchronous") == [[.integer(1)]])
    try database.transaction {}
    #expect(try database.rows("PRAGMA synchronous") == [[.integer(2)]])
    #expect(try database.rows("PRAGMA page_size") == [[.integer(1024)]])
  }

  @Test func `an invalid SQL statement and a wrong number of values cause errors`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    #expect(throws: SQLiteError.self) { try database.run("SELEKT") }
    #expect(throws: SQLiteError.self) { try database.run("SELECT ?") }
  }

  @Test func `a database runs more different statements than the statement cache holds`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    for number in 0..<100 {
      #expect(try database.rows("SELECT \(number)") == [[.integer(Int64(number))]])
    }
  }

  @Test func `a database that cannot grow is reported as full and keeps its rows`() throws {
    let database = try SQLiteDatabase(path: ":memory:", layout: layout)
    try database.run("INSERT INTO entry VALUES ('a', 1)")
    try database.run("PRAGMA max_page_count=8")
    #expect(throws: SQLiteError.full(path: ":memory:")) {
      try database.run("INSERT INTO entry VALUES ('b', ?)", [.blob(Array(repeating: 1, count: 100_000))])
    }
    #expect(try database.rows("SELECT * FROM entry") == [[.text("a"), .integer(1)]])
  }

  @Test func `the three newest damaged files are kept, and a removal is reported`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    for number in 0..<5 {
      try folder.write("test.sqlite", "damaged \(number)")
      // Two of the files have a log, which is renamed with its file.
      if number == 1 || number == 3 { try folder.write("test.sqlite-wal", "log \(number)") }
      let file = try SQLiteDatabase.setAside(path)
      #expect(file.path == path + ".damaged")
      #expect(file.removedCount == (number < 3 ? 0 : 1))
      #expect(
        "\(file)" == "set aside as \(path).damaged"
          + (number < 3 ? "" : "; removed the oldest of 3 damaged files"))
    }
    #expect(try folder.read("test.sqlite.damaged") == "damaged 4")
    #expect(try folder.read("test.sqlite.damaged.1") == "damaged 3")
    #expect(try folder.read("test.sqlite.damaged.2") == "damaged 2")
    #expect(try folder.read("test.sqlite.damaged.1-wal") == "log 3")
    #expect(folder.names().count == 4)
    let suffixes = folder.names().map { $0.dropFirst("test.sqlite".count) }
    #expect(suffixes.allSatisfy { SQLiteDatabase.besides.contains(String($0)) })
    #expect(throws: SQLiteError.self) { try SQLiteDatabase.setAside(path) }
    #expect(try folder.read("test.sqlite.damaged.2") == "damaged 2")
  }

  @Test func `a database that is only read is not trusted and is no symbolic link`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/test.sqlite"
    let database = try SQLiteDatabase(path: path, layout: layout)
    try database.run("INSERT INTO entry VALUES ('a', 1)")
    let reader = try SQLiteDatabase(reading: path)
    #expect(try reader.rows("PRAGMA trusted_schema") == [[.integer(0)]])
    #expect(try reader.rows("SELECT * FROM entry") == [[.text("a"), .integer(1)]])
    let link = folder.path + "/link.sqlite"
    try #require(symlink(path, link) == 0)
    #expect(
      throws: SQLiteError.unusable(
        path: link,
        reason: "it is a symbolic link, which is not followed; use the path of its target")
    ) { try SQLiteDatabase(reading: link) }
    // The folder of a service may be a link.
    let linkedFolder = folder.path + "/folder"
    try #require(symlink(folder.path, linkedFolder) == 0)
    let other = try SQLiteDatabase(reading: linkedFolder + "/test.sqlite")
    #expect(try other.rows("SELECT count(*) FROM entry") == [[.integer(1)]])
  }
}
