// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import Testing

@Suite("Synonyms of keys")
struct SynonymsTests {
  private static let source = ["name", "type", "device", "baud", "host", "port", "file"]

  @Test(
    arguments: [
      ("kind", "type"), ("driver", "type"), ("path", "device"), ("tty", "device"),
      ("Devnode", "device"), ("speed", "baud"), ("baud-rate", "baud"), ("server", "host"),
      ("colour", nil), ("", nil),
    ] as [(String, String?)])
  func `the Fixcast key is suggested for a name that other programs use`(written: String, suggestion: String?) {
    #expect(Synonyms.nearest(to: written, in: Self.source) == suggestion)
  }

  @Test func `a synonym is suggested only if it is an available key`() {
    #expect(Synonyms.nearest(to: "path", in: ["type", "file"]) == "file")
    #expect(Synonyms.nearest(to: "receiver", in: ["daemon", "source", "sink"]) == "source")
  }
}
