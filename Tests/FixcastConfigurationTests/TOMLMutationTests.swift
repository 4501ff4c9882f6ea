// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Testing

/// Damages a valid file at random; parsing it must result in an error or a table.
@Suite("TOML with random damage")
struct TOMLMutationTests {
  private static let good = Array(
    """
    [daemon]
    socket = "/run/x" # y
    a.'b'."c\\t" = 1.5e3
    [[sink]]
    t = '''a
    b'''
    l = [1, [true], {k = 0x1F, "m" = -inf},
    ]
    [[sink.x]]
    d = 1979
    s = \"\"\"q\\u00e9"\"\"\"

    """.utf8)
  private static let pieces = [
    "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\"", "'", "\"\"\"", "'''", "\\", "\\u", "#",
    "\n", "\r", "\u{0}", "-05-27T07:32:00Z", "07:32", "e", "_", "-", "inf", "0x", "true", "é",
    "sink", "[sink]", "a.b = 1\n",
  ].map { Array($0.utf8) }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `damaged TOML does not crash the parser, and every reported line is in the file`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var counts = (good: 0, bad: 0)
    for _ in 0..<Self.rounds {
      var bytes = Self.good
      for _ in 0..<Int.random(in: 1...4, using: &random) { Self.damage(&bytes, &random) }
      let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") }
      do throws(SettingsError) {
        let table = try SettingsTable(toml: bytes, file: "c.toml")
        counts.good += 1
        if !table.entries.allSatisfy({ (1...lines).contains($0.origin?.line ?? 0) }) {
          Issue.record("a line that does not exist: \(String(decoding: bytes, as: UTF8.self))")
        }
      } catch {
        counts.bad += 1
        if let line = error.origin?.line, (1...lines).contains(line) { continue }
        Issue.record("\(error): \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(counts.good > Self.rounds / 50 && counts.bad > Self.rounds / 10)
  }

  private static let rounds = 2_500

  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
    case 1: bytes.remove(at: place)
    case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
    case 3: bytes.removeSubrange(place..<min(place + 20, bytes.count))
    default:
      let end = min(place + Int.random(in: 1...40, using: &random), bytes.count)
      bytes.insert(
        contentsOf: Array(bytes[place..<end]),
        at: Int.random(in: 0...bytes.count, using: &random))
    }
  }
}
