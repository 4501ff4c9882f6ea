// SPDX-License-Identifier: Apache-2.0

import SystemSupport
import Testing

/// Parsing of hosts, with and without a port.
@Suite struct HostTests {
  @Test(arguments: [
    "a", "localhost", "van.lan", "van.lan.", "boat_1-gps", "xn--bcher-kva.example", "3com.example", "127.0.0.1",
    "::1", "2001:db8::7", "::ffff:10.0.0.7", "fe80::1%eth0",
    [String](repeating: String(repeating: "a", count: 63), count: 3).joined(separator: ".") + "."
      + String(repeating: "a", count: 61),
  ])
  func `a name or an address is a host, and IPv6 may have brackets`(text: String) throws {
    #expect(try Host(text).text == text)
    let isIPv6 = text.contains(":")
    #expect(try "\(Host(text))" == (isIPv6 ? "[\(text)]" : text))
    #expect((try? Host("[\(text)]"))?.text == (isIPv6 ? text : nil))
  }

  @Test(
    arguments: [
      ("", .isEmpty), (" ", .hasBlank), ("a b", .hasBlank), ("a\n", .hasBlank), ("127.0.0.1\0", .hasBlank),
      ("a:b", .isNoAddress), ("[a]", .isNoAddress), ("[]", .isNoAddress), ("[127.0.0.1]", .isNoAddress),
      ("[::1", .isNoAddress), ("fe80::1%", .isNoAddress), ("::1%;id", .isNoAddress), ("::1%$(id)", .isNoAddress),
      ("fe80::1%abcdefghijklmnop", .isNoAddress), ("1:2:3", .isNoAddress), ("10.0.0.300", .isNoName),
      ("10.0.0", .isNoName), ("a..b", .isNoName), ("-a", .isNoName), ("a-.b", .isNoName), ("pi@a", .isNoName),
      ("a/b", .isNoName), ("*.lan", .isNoName), ("ä", .isNoName), (".", .isNoName),
      (String(repeating: "a", count: 64), .isNoName), (String(repeating: "a.", count: 127), .isTooLong),
    ] as [(String, Host.Flaw)])
  func `another text is no host, and the error has the reason`(text: String, flaw: Host.Flaw) {
    #expect(throws: flaw) { try Host(text) }
  }

  @Test(arguments: [
    ("localhost", true), ("LocalHost", true), ("localhost.", true), ("pi.localhost", false), ("127.1.2.3", true),
    ("::1", true),
    ("::ffff:127.0.0.1", true), ("127.example.org", false), ("localhost.lan", false), ("10.0.0.1", false),
    ("::2", false),
  ])
  func `a host is a loopback host by its name or address`(text: String, isLoopback: Bool) throws {
    #expect(try Host(text).isLoopback == isLoopback)
  }

  @Test(arguments: [
    ("a", "a:80"), ("a:1", "a:1"), ("a:65535", "a:65535"), ("[::1]", "[::1]:80"), ("::1", "[::1]:80"),
    ("[::1]:99", "[::1]:99"), ("[fe80::1%eth0]:99", "[fe80::1%eth0]:99"),
  ])
  func `a host may have a port`(text: String, written: String) throws {
    #expect(try "\(HostPort(text, defaultPort: 80))" == written)
  }

  @Test(arguments: ["a:", "a:0", "a:65536", "a:+1", "a:-1", "a:1x", "a:٣", "[::1]:", "[::1]:0"])
  func `a port is a number from 1 to 65535`(text: String) {
    #expect(throws: Host.Flaw.hasNoPort) { try HostPort(text, defaultPort: 80) }
  }

  @Test(arguments: ["a", "[::1]", "::1"])
  func `a port is required if there is no default`(text: String) {
    #expect(throws: Host.Flaw.hasNoPort) { try HostPort(text, defaultPort: nil) }
  }
}
