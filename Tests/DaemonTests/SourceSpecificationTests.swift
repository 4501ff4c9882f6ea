// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastConfiguration
import SystemSupport
import Testing

/// Tests the syntax for sources on the command line.
@Suite struct SourceSpecificationTests {
  @Test(arguments: [
    ("auto", SourceSpecification.auto, "auto"),
    ("simulated", .simulated, "simulated"),
    ("serial:/dev/ttyACM0", .serial(devnode: "/dev/ttyACM0", baud: nil), "serial:/dev/ttyACM0"),
    (
      "serial:/dev/ttyUSB0@4800", .serial(devnode: "/dev/ttyUSB0", baud: 4800),
      "serial:/dev/ttyUSB0@4800"
    ),
    (
      "serial:/dev/serial/by-path/pci-0:1.0@x",
      .serial(
        devnode: "/dev/serial/by-path/pci-0:1.0@x", baud: nil),
      "serial:/dev/serial/by-path/pci-0:1.0@x"
    ),
    ("replay:a:b.log", .replay(file: "a:b.log"), "replay:a:b.log"),
  ])
  func `every form of a source specification is parsed and printed`(
    text: String, expected: SourceSpecification, written: String
  ) {
    #expect(SourceSpecification(text) == expected)
    #expect(SourceSpecification(text)?.description == written)
  }

  @Test(arguments: [
    ("gpsd", "localhost", 2947, "gpsd:localhost:2947"), ("gpsd:", "localhost", 2947, "gpsd:localhost:2947"),
    ("gpsd::99", "localhost", 99, "gpsd:localhost:99"), ("gpsd:van", "van", 2947, "gpsd:van:2947"),
    ("gpsd:van:2950", "van", 2950, "gpsd:van:2950"), ("gpsd:[::1]", "::1", 2947, "gpsd:[::1]:2947"),
    ("gpsd:[::1]:99", "::1", 99, "gpsd:[::1]:99"),
  ])
  func `the host and the port of a gpsd may be omitted`(text: String, host: String, port: UInt16, written: String)
    throws
  {
    let specification = try #require(SourceSpecification(text))
    guard case .gpsd(let server) = specification else {
      Issue.record("\(specification)")
      return
    }
    #expect(server.host.text == host)
    #expect(server.port == port)
    #expect("\(specification)" == written)
  }

  @Test(arguments: [
    ("auto", true), ("serial:/dev/ttyACM0", true), ("gpsd", true), ("gpsd:localhost:1", true),
    ("gpsd:127.1.2.3", true), ("gpsd:[::1]", true), ("gpsd:[::ffff:127.0.0.1]", true),
    ("gpsd:0.0.0.0", true), ("gpsd:192.0.2.1", false), ("gpsd:[2001:db8::1]", false),
    ("simulated", false), ("replay:/nowhere.nmea", false), ("replay:/etc/passwd", false),
    ("replay:/dev/tty", true),
  ])
  func `a source reveals this board unless it is simulated, recorded or a gpsd on another host`(
    text: String, reveals: Bool
  ) throws {
    #expect(try #require(SourceSpecification(text)).revealsThisBoard == reveals)
  }

  @Test(arguments: [
    "", "gps", "serial", "serial:", "serial:ttyACM0", "serial:@4800", "serial:ttyUSB0@4800",
    "replay:", "replay", "gpsd:van:0", "gpsd:van:99999", "gpsd:van:ntp", "gpsd:[::1",
    "gpsd:::1", "gpsd:fe80::1:2947", "gpsd:2001:db8::1", "auto:x", "simulated:2",
  ])
  func `an invalid source specification is rejected`(text: String) {
    #expect(SourceSpecification(text) == nil)
  }

  @Test(
    arguments: [
      ("serial:ttyACM0", "try serial:/dev/ttyACM0"), ("serial:/dev/ttyACM0@0", "greater than 0"),
      ("serial:gps@fast", "try serial:/dev/gps@9600"), ("serial:gps@48", "try serial:/dev/gps@48"),
      ("serial:", "devnode is missing"), ("gpsd:h:99999", "a port from 1 to 65535"),
      ("replay:", "file is missing"), ("auto:x", "auto takes no argument"),
      ("gps", "not a source; try auto,"),
      ("bogus", "gpsd, simulated or replay:FILE"),
      ("gpsd:van", nil), ("serial:/dev/ttyACM0@4800", nil),
    ] as [(String, String?)])
  func `an invalid source specification has an explanation, and a valid specification has none`(
    text: String, words: String?
  ) {
    let fault = SourceSpecification.fault(in: text)
    #expect((fault == nil) == (words == nil))
    if let words { #expect(fault?.contains(words) == true, "\(fault ?? "")") }
  }
}
