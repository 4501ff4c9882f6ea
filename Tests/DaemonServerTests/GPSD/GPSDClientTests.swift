// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import DaemonServer

/// The requests of known clients, byte for byte, and the answers that they need.
@Suite struct GPSDClientTests {
  struct Client: CustomTestStringConvertible, Sendable {
    var name: String
    var request: String
    /// The settings in the answer.
    var watch: String
    var wantsJSON = false
    var wantsNMEA = false

    var testDescription: String { name }
  }

  static let clients = [
    Client(
      name: "gpspipe -w, cgps, gpxlogger", request: "?WATCH={\"enable\":true,\"json\":true};\n",
      watch: GPSDFixture.watchLine(json: true), wantsJSON: true),
    Client(
      name: "gpsd as client", request: #"?WATCH={"enable":true,"json":true};"#,
      watch: GPSDFixture.watchLine(json: true), wantsJSON: true),
    Client(
      name: "gpspipe -r, gps2udp", request: "?WATCH={\"enable\":true,\"nmea\":true};\n",
      watch: GPSDFixture.watchLine(nmea: true), wantsNMEA: true),
    Client(
      name: "gpspipe -R", request: "?WATCH={\"enable\":true,\"raw\":2};\n",
      watch: GPSDFixture.watchLine(raw: 2), wantsNMEA: true),
    Client(
      name: "gpspipe -w -P", request: "?WATCH={\"enable\":true,\"json\":true,\"pps\":true};\n",
      watch: GPSDFixture.watchLine(json: true, pps: true), wantsJSON: true),
    Client(
      name: "gpsmon", request: "?WATCH={\"raw\":2,\"pps\":true}\r\n",
      watch: GPSDFixture.watchLine(raw: 2, pps: true), wantsNMEA: true),
    Client(
      name: "python3-gps, gpsdclient", request: "?WATCH={\"enable\":true,\"json\":true}\n",
      watch: GPSDFixture.watchLine(json: true), wantsJSON: true),
    Client(
      name: "gpscsv, xgps", request: "?WATCH={\"enable\":true,\"json\":true,\"scaled\":true}\n",
      watch: GPSDFixture.watchLine(json: true, scaled: true), wantsJSON: true),
    Client(
      name: "gps3, Home Assistant", request: #"?WATCH={"enable":true,"json":true}"#,
      watch: GPSDFixture.watchLine(json: true), wantsJSON: true),
    Client(
      name: "gpsd-py3", request: "?WATCH={\"enable\":true}\n", watch: GPSDFixture.watchLine()),
    Client(
      name: "Signal K", request: "?WATCH={\"class\":\"WATCH\",\"nmea\":true,\"json\":false}\n",
      watch: GPSDFixture.watchLine(nmea: true), wantsNMEA: true),
    Client(
      name: "OpenCPN", request: #"?WATCH={"class":"WATCH", "nmea":true}"#,
      watch: GPSDFixture.watchLine(nmea: true), wantsNMEA: true),
  ]

  @Test(arguments: clients)
  func `a client's request is answered, and the client receives the reports that it needs`(
    client: Client
  ) throws {
    var session = GPSDSession(version: GPSDFixture.version)
    #expect(session.lines(client.request) == [GPSDFixture.devicesLine, client.watch])
    #expect(session.wantsJSON == client.wantsJSON && session.wantsNMEA == client.wantsNMEA)
    let tpv = client.wantsJSON ? [GPSDFixture.tpvLine] : ["not watched"]
    #expect(GPSDSession.lines(session.frame(of: GPSDFixture.fix, now: nil)) == tpv)
    let sky = client.wantsJSON ? [GPSDFixture.skyLine] : ["not watched"]
    #expect(GPSDSession.lines(session.frame(of: GPSDFixture.sky)) == sky)
  }

  @Test(arguments: clients)
  func `a client's request is answered the same if it arrives byte by byte`(client: Client) {
    var session = GPSDSession(version: GPSDFixture.version)
    let answers = client.request.utf8.flatMap { session.receive([$0], GPSDFixture.view) }
    #expect(GPSDSession.lines(answers) == [GPSDFixture.devicesLine, client.watch])
  }

  @Test func `the end of a python3-gps session stops the reports`() {
    var session = GPSDSession(version: GPSDFixture.version)
    _ = session.lines("?WATCH={\"enable\":true,\"json\":true}\n")
    let answer = session.lines(#"?WATCH={"enable":false,"json":false,"timing":false}"#)
    #expect(answer == [GPSDFixture.devicesLine, GPSDFixture.watchLine(enable: false)])
    #expect(session.frame(of: GPSDFixture.fix, now: nil) == nil)
  }

  @Test func `gpsd-py3 polls a fix and a sky, and receives nothing else`() {
    var session = GPSDSession(version: GPSDFixture.version)
    _ = session.lines("?WATCH={\"enable\":true}\n")
    let answer =
      #"{"class":"POLL","time":"2026-11-21T12:00:00.000Z","active":1,"tpv":["#
      + GPSDFixture.tpvLine + #"],"gst":[],"sky":["# + GPSDFixture.skyLine + "]}"
    #expect(session.lines("?POLL;\n") == [answer])
    #expect(session.error("denied") == nil && session.withoutPosition(device: nil) == nil)
  }
}
