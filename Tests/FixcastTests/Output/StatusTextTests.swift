// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import fixcast

/// What `fixcast status` makes of a daemon of another version.
@Suite struct StatusTextTests {
  private static func lines(_ daemon: String) -> [String] {
    StatusText(
      DaemonStatus(
        client: "uid=1", authorization: DaemonAuthorization(Authorization(.denied)),
        connectionCount: 1, refusedCount: 0, daemon: Array(daemon.utf8))
    ).lines
  }

  @Test("what is left out is not shown, and what is new is passed over")
  func tolerant() {
    let lines = Self.lines(
      #"{"release":"9.0","uptime":"long","new":[1],"source":{"name":"roof","state":"dozing"},"#
        + #""plugins":[{"role":"sink","name":"gpx","in":3,"out":"many","queue":{}}]}"#)
    #expect(lines.contains("daemon         fixcast 9.0"))
    #expect(lines.contains("source         roof dozing"))
    #expect(lines.last == "sink gpx  -      3   -    -        -")
    #expect(!lines.contains { $0.hasPrefix("lookups") || $0.hasPrefix("path") })
  }

  @Test("that there is no fix yet is told only to those who are told of fixes")
  func untold() {
    let untold = Self.lines(#"{"source":{"name":"roof","state":"running"}}"#)
    #expect(untold.contains("source         roof running"))
    let told = Self.lines(#"{"source":{"name":"roof","state":"running","bytes":0}}"#)
    #expect(told.contains("source         roof running, no fix yet"))
  }

  @Test("an error is told below its plugin, in lines of at most 80 columns")
  func error() {
    let lines = Self.lines(
      #"{"plugins":[{"role":"sink","name":"gpx","state":"waiting","errors":2,"errorAge":4,"#
        + #""lastError":"/var/lib/fixcast/track.gpx: No space left on device; free some, or name "#
        + #"a file on another disk, and it goes on by itself"},{"role":"sink","name":"log"}]}"#)
    let row = lines.firstIndex { $0.hasPrefix("sink gpx  waiting") }
    #expect(row.map { lines[$0 + 1].hasPrefix("  4.0 s ago: /var/lib/fixcast/track.gpx:") } == true)
    #expect(lines.last?.hasPrefix("sink log") == true)
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
  }

  @Test("a plugin that blocks says since when")
  func blocked() {
    let lines = Self.lines(
      #"{"plugins":[{"role":"sink","name":"gpx","state":"blocked","blockedAge":7530}]}"#)
    #expect(lines.last?.hasPrefix("sink gpx  blocked for 2h5m") == true, "\(lines)")
  }

  @Test("what cannot be kept is told with what mends it")
  func state() {
    let lines = Self.lines(#"{"stateFault":"state_directory /x: Permission denied: not kept"}"#)
    #expect(lines.contains("state          state_directory /x: Permission denied: not kept"))
  }

  @Test("a provider that is down is named, with why, since when, and when it is tried again")
  func weather() {
    let lines = Self.lines(
      #"{"weather":{"provider":"metno","answerAge":4000,"lastError":"openmeteo "#
        + #"(api.open-meteo.com): weather provider not reached: connection refused","#
        + #""errorAge":34,"retryAfter":26}}"#)
    let text = lines.joined(separator: "\n")
    #expect(text.contains("weather        metno answered 1h6m ago\n"), "\(text)")
    #expect(text.contains("               last error, 34s ago: openmeteo (api.open-meteo.com):"))
    #expect(text.contains("               retry with the next fix after 26s"))
    let held = Self.lines(#"{"weather":{"held":"noDefaultRoute"}}"#)
    #expect(held.contains("weather        no lookup yet"))
    #expect(held.contains("               no lookups: noDefaultRoute"))
  }

  @Test("weather that is off is said to be, and nothing is where nothing is told of it")
  func weatherOff() {
    #expect(Self.lines(#"{"weather":{"isOff":true}}"#).contains("weather        off"))
    #expect(!Self.lines(#"{"lookups":{"asked":0}}"#).contains { $0.hasPrefix("weather") })
  }

  @Test("what is no object is said to be not understood")
  func strange() {
    #expect(Self.lines("[1]").last?.hasPrefix("daemon         reports in a format") == true)
  }
}
