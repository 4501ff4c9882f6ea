// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Provider URL")
struct ProviderURLTests {
  @Test(arguments: [
    ("http://127.0.0.1:8080", true), ("https://api.open-meteo.com", true),
    ("HTTP://[::1]:80/base", true), ("http://", false), ("https://", false),
    ("http://:80", false), ("http:///path", false), ("http://127.0.0.1:1 x", false),
    ("http://host:0", false), ("http://host:65536", false), ("http://host:port", false),
    ("http://h/x?y=1", false),
    ("http://h/x#y", false), ("http://h#", false), ("http://h?", false), ("http://u@h", false),
    ("http://u:p@h/x", false), ("http://h/x@y", true), ("ftp://host", false), ("host", false),
    ("", false), ("http://h\u{E4}user", false),
  ])
  func `a valid provider URL has an HTTP scheme and a host, but no query or fragment`(text: String, isUsable: Bool) {
    #expect((ProviderURL.flaw(of: text) == nil) == isUsable)
  }

  @Test(arguments: [
    ("http://h:", "has a colon without a port; remove it, or add a port from 1 to 65535"),
    ("http://[::1]:/x", "has a colon without a port; remove it, or add a port from 1 to 65535"),
    ("http://h:0", "has the port 0; ports are 1 to 65535"),
  ])
  func `the error for a provider URL names an invalid port, or states that the port is missing`(
    text: String, flaw: String
  ) {
    #expect(ProviderURL.flaw(of: text) == flaw)
  }
}
