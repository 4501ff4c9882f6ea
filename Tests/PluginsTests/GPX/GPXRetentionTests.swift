// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Plugins

/// The selection of old track files to remove.
@Suite("GPX retention")
struct GPXRetentionTests {
  @Test func `the track files of the oldest days are removed first`() {
    let retention = GPXRetention(pattern: "{date}.gpx", keepFiles: 2)
    let names = ["2026-01-03.gpx", "2026-01-01.gpx", "2025-12-31.gpx", "2026-01-02.gpx"]
    #expect(
      retention.surplus(of: names, current: "2026-01-03.gpx") == ["2025-12-31.gpx"])
    #expect(retention.surplus(of: Array(names.prefix(2)), current: "2026-01-03.gpx") == [])
  }

  @Test func `the files of earlier days are removed first, then the earliest rotated file of a day`() {
    let retention = GPXRetention(pattern: "{date}.gpx", keepFiles: 2)
    let names = [
      "2026-01-02.gpx", "2026-01-02.gpx.1", "2026-01-02.gpx.2", "2026-01-02.gpx.10",
      "2026-01-01.gpx",
    ]
    #expect(
      retention.surplus(of: names, current: "2026-01-02.gpx")
        == ["2026-01-02.gpx.10", "2026-01-01.gpx"])
  }

  @Test func `files named by start time and files with a number are sorted by age`() {
    let retention = GPXRetention(pattern: "track-{start}.gpx", keepFiles: 1)
    let names = [
      "track-20260102T000000Z.gpx", "track-20260101T000000Z.gpx", "track-20260101T000000Z-2.gpx",
      "track-20260103T000000Z.gpx",
    ]
    let surplus = retention.surplus(of: names, current: "track-20260103T000000Z.gpx")
    #expect(
      surplus.sorted() == ["track-20260101T000000Z-2.gpx", "track-20260101T000000Z.gpx"])
  }

  @Test(arguments: [
    "2026-01-0x.gpx", "2026-01-01.gpx.bak", "2026-01-01.gpx.01", "2026-01-01.gpx.0", "notes.txt",
    "x2026-01-01.gpx", "2026-01-01.gpx.new", "2026-01-01", "2026-01-01-x.gpx", "",
    "2026-01-01.gpx.1.1", "２026-01-01.gpx",
  ])
  func `a file whose name does not match the pattern is never removed`(name: String) {
    let retention = GPXRetention(pattern: "{date}.gpx", keepFiles: 0)
    #expect(retention.surplus(of: [name], current: "2026-01-02.gpx") == [])
  }

  @Test func `if the file name contains no date, only rotated files are removed`() {
    let retention = GPXRetention(pattern: "track.gpx", keepFiles: 1)
    #expect(
      retention.surplus(
        of: ["track.gpx", "track.gpx.1", "track.gpx.3", "track.gpx.2", "other.gpx"],
        current: "track.gpx") == ["track.gpx.2", "track.gpx.3"])
  }
}
