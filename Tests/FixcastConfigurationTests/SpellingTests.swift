// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Spelling")
struct SpellingTests {
  private static let keys = [
    "interval_seconds", "limit_bytes", "file", "mode", "name", "timeout_seconds",
  ]

  @Test(arguments: [
    ("intervall_seconds", "interval_seconds"), ("interval_secnods", "interval_seconds"),
    ("Interval-Seconds", "interval_seconds"), ("interval", "interval_seconds"),
    ("flie", "file"), ("fil", "file"), ("files", "file"), ("moed", "mode"),
    ("limit_byte", "limit_bytes"), ("timeout", "timeout_seconds"),
  ])
  func `the correct word is suggested for a misspelled word`(written: String, suggestion: String) {
    #expect(Spelling.nearest(to: written, in: Self.keys) == suggestion)
  }

  @Test(arguments: [
    "", "x", "colour", "seconds", "elif", String(repeating: "interval_seconds", count: 5),
  ])
  func `no word is suggested if no candidate is similar`(written: String) {
    #expect(Spelling.nearest(to: written, in: Self.keys) == nil)
  }

  @Test(
    arguments: [
      ("warn", "warning"), ("err", "error"), ("crit", "critical"), ("information", "info"),
      ("in", nil), ("tr", nil),
    ] as [(String, String?)])
  func `the complete word is suggested for an unambiguous abbreviation`(written: String, suggestion: String?) {
    let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    #expect(Spelling.nearest(to: written, in: levels) == suggestion)
    #expect(Spelling.nearest(to: "met", in: ["metres", "method"]) == nil)
  }

  @Test func `the most similar candidate is suggested, or the first of several equally similar candidates`() {
    #expect(Spelling.nearest(to: "gpxx", in: ["gps", "gpx"]) == "gpx")
    #expect(Spelling.nearest(to: "gp", in: ["gps", "gpx"]) == "gps")
    #expect(Spelling.nearest(to: "gpx", in: []) == nil)
  }
}
