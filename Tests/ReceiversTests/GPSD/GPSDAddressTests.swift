// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Receivers

/// Parsing of gpsd addresses.
@Suite struct GPSDAddressTests {
  @Test(
    arguments: [
      ("localhost", "localhost", 2947, "localhost:2947"),
      ("pi.local:65535", "pi.local", 65_535, "pi.local:65535"),
      ("boat_1-gps:1", "boat_1-gps", 1, "boat_1-gps:1"),
      ("127.0.0.1", "127.0.0.1", 2947, "127.0.0.1:2947"),
      ("10.0.0.7:3000", "10.0.0.7", 3000, "10.0.0.7:3000"),
      ("::1", "::1", 2947, "[::1]:2947"),
      ("[::1]", "::1", 2947, "[::1]:2947"),
      ("[2001:db8::7]:3000", "2001:db8::7", 3000, "[2001:db8::7]:3000"),
      ("2001:db8:0:0:0:0:0:7", "2001:db8:0:0:0:0:0:7", 2947, "[2001:db8:0:0:0:0:0:7]:2947"),
      ("::ffff:10.0.0.7", "::ffff:10.0.0.7", 2947, "[::ffff:10.0.0.7]:2947"),
      ("[fe80::1%eth0]:3000", "fe80::1%eth0", 3000, "[fe80::1%eth0]:3000"),
    ] as [(String, String, UInt16, String)])
  func `gpsd addresses are parsed: a name, IPv4, or IPv6 in optional brackets, and an optional port`(
    text: String, host: String, port: UInt16, description: String
  ) throws {
    let address = try #require(GPSDAddress(text))
    #expect(address.host == host)
    #expect(address.port == port)
    #expect(address.description == description)
    #expect(GPSDAddress(description) == address)
  }

  @Test(arguments: [
    "", ":", ":2947", "host:", "host:0", "host:65536", "host:-1", "host:+1", "host:2947x",
    "host: 2947", "host:٣", "[::1", "::1]", "[::1]2947", "[::1]:", "[::1]:0", "[::1]]:1", "[]",
    "[]:2947", "[localhost]:2947", "[127.0.0.1]", "a:b:c", "host:2947:2948", "1:2:3", ":::",
    "::g",
    "fe80::1%", "a b", "host\n", "host\0", "\thost", "[a]b", "[[::1]]",
    String(repeating: "a", count: 254),
  ])
  func `incomplete and malformed gpsd addresses are rejected`(text: String) {
    #expect(GPSDAddress(text) == nil)
  }

  @Test func `a gpsd address rejects an invalid host and the port 0`() {
    #expect(GPSDAddress(host: "localhost", port: 0) == nil)
    #expect(GPSDAddress(host: "") == nil)
    #expect(GPSDAddress(host: "localhost:2947") == nil)
    #expect(GPSDAddress(host: "[::1]")?.host == "::1")
  }
}
