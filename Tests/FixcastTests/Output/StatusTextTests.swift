// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import LocationServices
import Positioning
import Testing

@testable import fixcast

/// The output of `fixcast status` for daemons of this and other versions.
@Suite struct StatusTextTests {
  private static func lines(_ daemon: String) -> [String] {
    StatusText(
      DaemonStatus(
        client: "uid=1", authorization: DaemonAuthorization(Authorization(.denied)),
        connectionCount: 1, refusedCount: 0, daemon: Array(daemon.utf8))
    ).lines
  }

  @Test func `status prints the client with the user's name, and what to type without permission`() {
    let lines = StatusText(
      DaemonStatus(
        client: "uid=1001",
        authorization: DaemonAuthorization(
          Authorization(.notDetermined), advice: "allow it with: sudo fixcast auth allow user=pi"),
        connectionCount: 1, refusedCount: 0, daemon: []), client: "user=pi"
    ).lines
    #expect(lines.contains("you are        user=pi"), "\(lines)")
    #expect(
      lines.contains("               allow it with: sudo fixcast auth allow user=pi"), "\(lines)")
  }

  @Test func `status omits missing values and ignores unknown keys`() {
    let lines = Self.lines(
      #"{"release":"9.0","uptime":"long","new":[1],"source":{"name":"roof","state":"dozing"},"#
        + #""plugins":[{"role":"sink","name":"gpx","in":3,"out":"many","queue":{}}]}"#)
    #expect(lines.contains("daemon         fixcast 9.0"))
    #expect(lines.contains("source         roof dozing"))
    #expect(lines.last == "sink gpx  -      3   -    -        -       -      -")
    #expect(!lines.contains { $0.hasPrefix("lookups") || $0.hasPrefix("path") })
  }

  @Test func `status prints 'no fix yet' only to clients that may see the counts`() {
    let withoutCounts = Self.lines(#"{"source":{"name":"roof","state":"running"}}"#)
    #expect(withoutCounts.contains("source         roof running"))
    let withCounts = Self.lines(#"{"source":{"name":"roof","state":"running","bytes":0}}"#)
    #expect(withCounts.contains("source         roof running, no fix yet"))
  }

  @Test func `status marks a recorded fix, also if its age is unknown`() {
    let source = #""name":"boat.nmea","state":"running","bytes":9,"replayed":true"#
    #expect(
      Self.lines(#"{"source":{\#(source),"fixAge":100800}}"#)
        .contains("source         boat.nmea running, fix 1d4h old, recorded"))
    #expect(
      Self.lines(#"{"source":{\#(source)}}"#)
        .contains("source         boat.nmea running, recorded"))
  }

  @Test func `status prints the counts of the lines, the receiver's statements and missing checksums`() {
    let lines = Self.lines(
      #"{"source":{"name":"/dev/a","state":"running","bytes":900,"fixAge":0.3,"unchecked":true,"#
        + #""lines":{"used":20,"unused":3,"refused":2,"noChecksum":1,"unchecked":20,"#
        + #""firstRefused":"GPGLL field 4: unexpected letter"},"#
        + #""messages":[{"source":"/dev/a","kind":"antenna","antenna":"open","age":3}]}}"#)
    #expect(
      lines.contains("source         /dev/a running, fix 0.3 s old, without a checksum"), "\(lines)"
    )
    let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(
      text.contains(
        "received 900 bytes, 26 lines: 20 used (20 without a checksum), 3 of no interest, 2 refused "
          + "(the first: GPGLL field 4: unexpected letter), 1 without a checksum receiver /dev/a: "
          + "the receiver reports that no antenna is connected (open), 3.0 s ago"), "\(text)")
  }

  @Test func `status warns of a position at exactly 0° N, 0° E`() {
    let lines = Self.lines(
      #"{"source":{"name":"/dev/a","state":"running","bytes":9,"fixAge":0.3,"zeroPosition":true}}"#)
    let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(
      text.contains(
        "/dev/a running, fix 0.3 s old the position is exactly 0° N, 0° E, which devices without a "
          + "position send; unless the board is there, do not use it"), "\(text)")
  }

  @Test func `status prints a plugin's error below the plugin's row, wrapped at 80 columns`() {
    let lines = Self.lines(
      #"{"plugins":[{"role":"sink","name":"gpx","state":"waiting","errors":2,"errorAge":4,"#
        + #""lastError":"/var/lib/fixcast/track.gpx: No space left on device; writing "#
        + #"resumes when there is free space"},{"role":"sink","name":"log"}]}"#)
    let row = lines.firstIndex { $0.hasPrefix("sink gpx  waiting") }
    #expect(row.map { lines[$0 + 1].hasPrefix("  4.0 s ago: /var/lib/fixcast/track.gpx:") } == true)
    #expect(lines.last?.hasPrefix("sink log") == true)
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
  }

  @Test func `status prints why a sink waits, since when, and how much waits for how long`() {
    let lines = Self.lines(
      #"{"plugins":[{"role":"sink","name":"mqtt","state":"waiting","in":9,"out":9,"dropped":0,"#
        + #""errors":0,"queue":7,"batched":1,"oldestAge":310,"stateAge":305,"reason":"#
        + #""mqtt://127.0.0.1:1883: Connection refused"}]}"#)
    #expect(
      lines.suffix(4) == [
        "PLUGIN     STATE    IN  OUT  DROPPED  ERRORS  QUEUE  OLDEST",
        "sink mqtt  waiting  9   9    0        0       8      5m10s",
        "  waiting: mqtt://127.0.0.1:1883: Connection refused, since 5m5s ago; 8 queued,",
        "  the oldest for 5m10s",
      ], "\(lines)")
  }

  @Test func `status prints an error once if it is the reason for the state`() {
    let lines = Self.lines(
      #"{"plugins":[{"role":"sink","name":"gpx","state":"waiting","reason":"full","#
        + #""lastError":"full","errorAge":4}]}"#)
    #expect(lines.count { $0.contains("full") } == 1, "\(lines)")
    #expect(lines.last == "  waiting: full")
  }

  @Test func `status prints since when a server does not listen`() {
    let lines = Self.lines(
      #"{"servers":[{"name":"nmea","state":"failed","stateAge":65,"failures":["a: in use"]}]}"#)
    #expect(lines.contains("nmea server    not listening, failed since 1m5s ago"), "\(lines)")
    #expect(lines.contains("               a: in use"), "\(lines)")
  }

  @Test func `status prints for how long a plugin has been blocked`() {
    let lines = Self.lines(
      #"{"plugins":[{"role":"sink","name":"gpx","state":"blocked","blockedAge":7530}]}"#)
    #expect(lines.last?.hasPrefix("sink gpx  blocked for 2h5m") == true, "\(lines)")
  }

  @Test func `status prints a fault of the state directory unchanged`() {
    let lines = Self.lines(#"{"stateFault":"state_directory /x: Permission denied: not kept"}"#)
    #expect(lines.contains("state          state_directory /x: Permission denied: not kept"))
  }

  @Test func `status prints a failed lookup with its reason, its age and the next retry`() {
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

  @Test func `status prints that the weather is off, and omits the weather if it is not reported`() {
    #expect(Self.lines(#"{"weather":{"isOff":true}}"#).contains("weather        off"))
    #expect(!Self.lines(#"{"lookups":{"asked":0}}"#).contains { $0.hasPrefix("weather") })
  }

  @Test func `status reports that it cannot read a daemon status that is not a JSON object`() {
    #expect(Self.lines("[1]").last?.hasPrefix("daemon         reports in a format") == true)
  }
}
