// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import fixcast

@Suite("Reasons why a daemon has no position") struct DaemonTroubleTests {
  private static let advice =
    "; see: fixcast devices, and man fixcast.toml on how to name a port"

  private static func trouble(_ source: String) throws -> String? {
    let overview = try #require(DaemonOverview(json: Array(#"{"source":{\#(source)}}"#.utf8)))
    return DaemonTrouble(overview)?.description
  }

  @Test func `a daemon's receiver that has never sent data is reported`() throws {
    #expect(
      try Self.trouble(#""name":"auto","state":"running","bytes":0,"notices":[]"#)
        == "no data from a receiver yet (source auto)" + Self.advice)
    #expect(
      try Self.trouble(
        #""name":"/dev/ttyUSB0","state":"waiting","bytes":0,"notices":["a"],"lastError":"b.""#)
        == "no data from a receiver yet (source /dev/ttyUSB0): b" + Self.advice)
  }

  @Test func `the remedy of a port that another program holds is the end of its error`() throws {
    let error = "/dev/a: open: ModemManager (pid 7) holds it (errno 16); stop ModemManager: b; or c"
    for (reason, advice) in [(error, "stop ModemManager: b; or c"), ("a; b (errno 5)", nil)] {
      let source = #""name":"/dev/a","state":"waiting","bytes":0,"lastError":"\#(reason)""#
      let overview = try #require(DaemonOverview(json: Array(#"{"source":{\#(source)}}"#.utf8)))
      #expect(DaemonTrouble(overview)?.advice == advice)
    }
  }

  @Test func `a source that sends data without NMEA is not reported as a source without data`() throws {
    let text =
      #""name":"/dev/a","state":"waiting","bytes":90,"lastError":"b","noFix":{"source":"/dev/a","#
      + #""reportsEpochs":false,"seconds":9,"input":"#
    #expect(try Self.trouble(text + #""text"}"#) == nil)
    #expect(try Self.trouble(text + #""none"}"#)?.contains("stopped delivering data") == true)
  }

  @Test(arguments: [(1, 1), (9, 9), (10, 10), (3600, 10)])
  func `a status request has the time limit of the command, but at most ten seconds`(
    _ timeoutSeconds: Int, _ expected: Int
  ) {
    #expect(DaemonAccess.statusSeconds(within: timeoutSeconds) == expected)
  }

  @Test func `a daemon's receiver that has stopped sending data is reported`() throws {
    for fields in [#""bytes":700,"fixAge":9.5"#, #""bytes":700"#, #""bytes":0,"fixAge":9.5"#] {
      #expect(
        try Self.trouble(
          #""name":"/dev/ttyUSB0","state":"waiting",\#(fields),"notices":["a; see: fixcast devices."]"#
        )
          == "the source has stopped delivering data (source /dev/ttyUSB0): a; see: fixcast devices"
      )
    }
    #expect(
      try Self.trouble(
        #""name":"gpsd:localhost:2947","state":"waiting","bytes":0,"fixAge":9,"lastError":"b""#)
        == "the source has stopped delivering data (source gpsd:localhost:2947): b" + Self.advice)
  }

  @Test func `the general advice is omitted if the reason already contains advice`() throws {
    let reason = "no such port; see which devnode it has: fixcast devices"
    #expect(
      try Self.trouble(
        #""name":"serial","state":"waiting","bytes":0,"notices":[],"lastError":"\#(reason).""#)
        == "no data from a receiver yet (source serial): \(reason)")
  }

  @Test(arguments: [
    #""name":"auto","state":"running","bytes":7,"notices":[]"#,
    #""name":"gpsd:localhost:2947","state":"running","bytes":0,"notices":[]"#,
    #""name":"auto","state":"running""#, #""bytes":0"#,
    #""name":"auto","state":"running","bytes":0,"fixAge":0.5"#,
  ])
  func `no trouble is reported if data arrives, the source is gpsd, or the status is incomplete`(_ source: String)
    throws
  {
    #expect(try Self.trouble(source) == nil)
  }
}
