// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Spelling")
struct SpellingTests {
  private static let keys = [
    "interval_seconds", "limit_bytes", "file", "mode", "name", "timeout_seconds",
  ]

  @Test(
    "finds what was meant",
    arguments: [
      ("intervall_seconds", "interval_seconds"), ("interval_secnods", "interval_seconds"),
      ("Interval-Seconds", "interval_seconds"), ("interval", "interval_seconds"),
      ("flie", "file"), ("fil", "file"), ("files", "file"), ("moed", "mode"),
      ("limit_byte", "limit_bytes"), ("timeout", "timeout_seconds"),
    ])
  func near(written: String, meant: String) {
    #expect(Spelling.nearest(to: written, in: Self.keys) == meant)
  }

  @Test(
    "is silent where nothing is near",
    arguments: [
      "", "x", "colour", "seconds", "elif", String(repeating: "interval_seconds", count: 5),
    ])
  func far(written: String) {
    #expect(Spelling.nearest(to: written, in: Self.keys) == nil)
  }

  @Test(
    "finds a word that was cut short, where no other begins so",
    arguments: [
      ("warn", "warning"), ("err", "error"), ("crit", "critical"), ("information", "info"),
      ("in", nil), ("tr", nil),
    ] as [(String, String?)])
  func begun(written: String, meant: String?) {
    let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    #expect(Spelling.nearest(to: written, in: levels) == meant)
    #expect(Spelling.nearest(to: "met", in: ["metres", "method"]) == nil)
  }

  @Test("takes the nearest of several, and the first of equals")
  func several() {
    #expect(Spelling.nearest(to: "gpxx", in: ["gps", "gpx"]) == "gpx")
    #expect(Spelling.nearest(to: "gp", in: ["gps", "gpx"]) == "gps")
    #expect(Spelling.nearest(to: "gpx", in: []) == nil)
  }
}
