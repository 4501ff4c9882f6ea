// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import DaemonServer

@Suite struct GPSDSessionTests {
  private func session(_ watch: String? = nil) -> GPSDSession {
    var session = GPSDSession(version: GPSDFixture.version)
    if let watch { _ = session.lines("?WATCH=\(watch);") }
    return session
  }

  @Test func `a new client is greeted with the version and watches nothing`() {
    #expect(
      GPSDSession.lines(GPSDSession.greeting(GPSDFixture.version)) == [GPSDFixture.versionLine])
    var session = session()
    #expect(session.frame(of: GPSDFixture.fix, now: nil) == nil)
    #expect(
      session.lines("?WATCH;") == [GPSDFixture.devicesLine, GPSDFixture.watchLine(enable: false)])
    #expect(!session.wantsJSON && !session.wantsNMEA)
    #expect(session.lines("?VERSION;") == [GPSDFixture.versionLine])
    #expect(session.lines("?DEVICES;") == [GPSDFixture.devicesLine])
    #expect(session.lines("?DEVICE;") == [GPSDFixture.deviceLine])
  }

  @Test func `settings that a request omits keep their value or return to their default`() {
    var session = session(
      #"{"enable":true,"json":true,"nmea":true,"raw":1,"scaled":true,"pps":true,"split24":true,"#
        + #""timing":true,"device":"/dev/ttyACM0"}"#)
    #expect(session.device == "/dev/ttyACM0")
    #expect(
      session.lines(#"?WATCH={"raw":0};"#).last
        == GPSDFixture.watchLine(json: true, nmea: true))
    #expect(session.device == nil)
    #expect(
      session.lines(#"?WATCH={"enable":0,"unknown":{"a":[1,"b"]}};"#).last
        == GPSDFixture.watchLine(enable: false, json: true, nmea: true))
  }

  @Test(arguments: [
    (#"?WATCH={"device":12};"#, #"Invalid WATCH: wrong type of \"device\""#),
    (#"?WATCH={"enable":"true"};"#, #"Invalid WATCH: wrong type of \"enable\""#),
    (#"?WATCH={"class":"TPV","enable":false};"#, "Invalid WATCH: the class is not WATCH"),
    (#"?WATCH={"raw":true};"#, #"Invalid WATCH: wrong type of \"raw\""#),
    ("?WATCH={bad};", "Invalid WATCH: the argument is not a JSON object"),
    ("?WATCH=12;", "Invalid WATCH: the argument is not a JSON object"),
    ("?WATCH=;", "Invalid WATCH: the argument is not a JSON object"),
    (#"?WATCH={"enable":true;"#, "Invalid WATCH: the argument is not a JSON object"),
  ])
  func `an invalid watch request is answered with an error and changes nothing`(
    request: String, message: String
  ) {
    var session = session(#"{"json":true}"#)
    #expect(
      session.lines(request) == [
        #"{"class":"ERROR","message":"\#(message)"}"#, GPSDFixture.devicesLine,
        GPSDFixture.watchLine(json: true),
      ])
  }

  @Test(arguments: [
    ("?FOO;", "Unrecognized request '?FOO'"), ("?watch;", "Unrecognized request '?watch'"),
    ("?\"\u{1}\n", #"Unrecognized request '?\"\u0001'"#),
    ("?POLL={};", "Unrecognized request '?POLL={}'"),
    (#"?DEVICE={"path":"/dev/nope"};"#, "No such device as /dev/nope"),
    ("?DEVICE={1};", "Invalid DEVICE: the argument is not a JSON object"),
    (#"?WATCH={"device":"/dev/nope"};"#, "No such device as /dev/nope"),
  ])
  func `a request that cannot be answered gets one error`(request: String, message: String) {
    var session = session()
    #expect(session.lines(request) == [#"{"class":"ERROR","message":"\#(message)"}"#])
  }

  @Test func `a request that is too long gets one error`() {
    var session = session()
    #expect(
      session.lines("?" + String(repeating: "x", count: 5000)) == [
        #"{"class":"ERROR","message":"Request dropped: longer than 4096 bytes"}"#
      ])
  }

  @Test func `settings of a device are answered with the present values`() {
    var session = session()
    #expect(
      session.lines(#"?DEVICE={"path":"/dev/ttyACM0","bps":4800};"#) == [GPSDFixture.deviceLine])
  }

  @Test func `requests beyond a limit are dropped with one error`() {
    var session = session()
    let lines = session.lines(String(repeating: "?VERSION;", count: 5000))
    #expect(lines.count == GPSDSession.maxRequestsAtOnce + 1)
    #expect(lines.last?.contains("Too many requests") == true)
    #expect(session.lines("?VERSION;") == [GPSDFixture.versionLine])
  }

  @Test func `a poll without watch contains no reports`() {
    var session = session()
    #expect(
      session.lines("?POLL;") == [
        #"{"class":"POLL","time":"2026-11-21T12:00:00.000Z","active":0,"tpv":[],"gst":[],"sky":[]}"#
      ])
  }

  @Test func `a poll of a client without access has a report without a position`() {
    var session = session(#"{"enable":true}"#)
    var view = GPSDView()
    view.devices = [GPSDFixture.device]
    #expect(
      session.lines("?POLL;", view) == [
        #"{"class":"POLL","active":1,"tpv":[{"class":"TPV","device":"/dev/ttyACM0","mode":1}],"#
          + #""gst":[],"sky":[{"class":"SKY","device":"/dev/ttyACM0"}]}"#
      ])
  }

  @Test func `a client that names a device receives the reports of that device only`() {
    var view = GPSDFixture.view
    view.devices.append(
      GPSDDevice(ReceiverInfo(name: "/dev/ttyUSB1", isActive: true), activated: nil))
    var session = GPSDSession(version: GPSDFixture.version)
    let answer = session.lines(#"?WATCH={"json":true,"device":"/dev/ttyUSB1"};"#, view)
    #expect(answer.last == GPSDFixture.watchLine(json: true, suffix: #","device":"/dev/ttyUSB1""#))
    #expect(session.frame(of: GPSDFixture.fix, now: nil) == nil)
    #expect(session.frame(of: GPSDFixture.sky) == nil)
    #expect(session.frame(ofLost: "/dev/ttyACM0") == nil)
    var fix = GPSDFixture.fix
    fix.source = "/dev/ttyUSB1"
    #expect(session.frame(of: fix, now: nil) != nil)
    #expect(session.lines("?POLL;", view).first?.contains("48.1") == false)
  }

  @Test func `a receiver that appears or is lost is reported as a device`() {
    let session = session(#"{"json":true}"#)
    #expect(GPSDSession.lines(session.frame(of: GPSDFixture.device)) == [GPSDFixture.deviceLine])
    #expect(
      GPSDSession.lines(session.frame(ofLost: "/dev/ttyACM0")) == [
        #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0,"native":0}"#
      ])
  }

  @Test func `a fix without both coordinates has mode 1, and a heading follows the fix`() {
    let session = session(#"{"json":true}"#)
    var fix = Fix(mode: .threeDimensional)
    fix.headingDegreesTrue = 12.5
    #expect(
      GPSDSession.lines(session.frame(of: fix, now: nil)) == [
        #"{"class":"TPV","mode":1}"#, #"{"class":"ATT","heading":12.5}"#,
      ])
    #expect(
      GPSDSession.lines(session.withoutPosition(device: "/dev/x")) == [
        #"{"class":"TPV","device":"/dev/x","mode":1}"#
      ])
  }

  @Test func `a long error message is truncated at a character`() throws {
    let session = session(#"{"json":true}"#)
    let message = try #require(session.error(String(repeating: "ä", count: 300)))
    #expect(
      GPSDSession.lines(message) == [
        #"{"class":"ERROR","message":"\#(String(repeating: "ä", count: 127))"}"#
      ])
  }
}
