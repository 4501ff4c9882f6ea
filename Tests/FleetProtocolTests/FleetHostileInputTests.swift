// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import FleetProtocol

@Suite("Hostile fleet messages")
struct FleetHostileInputTests {
  private static func error(_ text: String) -> FleetError? {
    do throws(FleetError) { _ = try FleetBatch(json: Array(text.utf8)) } catch { return error }
    return nil
  }

  private static let valid =
    #"{"v":1,"b":"b1","e":3,"n":2,"s0":1,"t0":1000,"t":[0,1000],"lat":[5],"lon":[6,0]}"#

  @Test func `a batch with a value outside its range is rejected with the name of the member`() {
    #expect(Self.error(Self.valid) == nil)
    let replacements: [(String, String, String)] = [
      (#""b":"b1""#, #""b":"B.1""#, "b"), (#""e":3"#, #""e":0"#, "e"),
      (#""e":3"#, #""e":2147483648"#, "e"), (#""n":2"#, #""n":0"#, "n"),
      (#""n":2"#, #""n":-1"#, "n"), (#""n":2"#, #""n":1000000000"#, "n"),
      (#""s0":1"#, #""s0":0"#, "s0"), (#""s0":1"#, #""s0":9223372036854775807"#, "s0"),
      (#""s0":1"#, #""s0":9007199254740992"#, "s"), (#""s0":1"#, #""s0":1,"s":[0]"#, "s"),
      (#""s0":1"#, #""s0":1,"s":[0,-1]"#, "s"), (#""s0":1"#, #""s0":1,"s":[0,null]"#, "s"),
      (#""s0":1"#, #""s0":1,"p":1"#, "p"), (#""s0":1"#, #""s0":1,"p":-1"#, "p"),
      (#""s0":1"#, #""s0":1,"s":[1,1]"#, "s"), (#""s0":1"#, #""s0":1,"s":[]"#, "s"),
      (#""lat":[5]"#, #""lat":[900000001]"#, "lat"), (#""lat":[5]"#, #""lat":[]"#, "lat"),
      (#""lat":[5]"#, #""lat":[5,null]"#, "lat"), (#""lat":[5]"#, #""lat":[1,2,3]"#, "lat"),
      (#""lat":[5]"#, #""lat":[900000000]"#, "lat"),
      (#""lon":[6,0]"#, #""lon":[9223372036854775807,1]"#, "lon"),
      (#""t0":1000,"#, "", "t0"), (#""t0":1000"#, #""t0":253402300799999"#, "t"),
      (#""t0":1000"#, #""t0":-9223372036854775808"#, "t"),
      (#""n":2"#, #""n":2,"mode":[4]"#, "mode"), (#""n":2"#, #""n":2,"sats":[-1]"#, "sats"),
      (#""n":2"#, #""n":2,"m0":5"#, "m0"), (#""n":2"#, #""n":2,"boot":"<script>""#, "boot"),
      (#""n":2"#, #""n":2,"trk":[3600]"#, "trk"), (#""n":2"#, #""n":2,"spd":[-1]"#, "spd"),
    ]
    for (old, new, member) in replacements {
      let text = Self.valid.split(separator: old).joined(separator: new)
      #expect(Self.error(text) == .invalid(member: member), "\(text)")
    }
  }

  @Test func `a message that is not JSON of the expected shape is malformed`() {
    for text in [
      "", "{", "[]", "null", "5", "{}", #"{"v":1}"#, String(repeating: "[", count: 60_000),
      String(repeating: #"{"a":"#, count: 12_000),
      Self.valid.replacing("[5]", with: "[5.5]"), Self.valid.replacing("[5]", with: #"["5"]"#),
      Self.valid.replacing("[5]", with: "[1e99]"), Self.valid.replacing("[5]", with: "5"),
      Self.valid.replacing(#""b":"b1","#, with: ""), Self.valid.replacing("3", with: "\u{0}"),
    ] { #expect(Self.error(text) == .malformed, "\(text.prefix(100))") }
  }

  @Test func `a newer version and an oversized message have errors of their own`() {
    #expect(Self.error(#"{"v":2,"lat":"new"}"#) == .unsupportedVersion(2))
    let large = Self.valid + String(repeating: " ", count: FleetBatch.maxBytes)
    #expect(Self.error(large) == .tooLarge(bytes: large.utf8.count))
    // Readers ignore unknown members.
    #expect(Self.error(Self.valid.replacing(#"{"v""#, with: #"{"x":[{}],"v""#)) == nil)
  }

  @Test func `damaged messages give a value or an error, and never a trap`() throws {
    var generator = SeededGenerator(seed: 11)
    let batch = try FleetBatchTests.batch(FleetBatchTests.drive(30)).json
    var accepted = 0
    for _ in 0..<3000 {
      var bytes = batch
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[index] = .random(in: 0...255, using: &generator)
        case 1: bytes[index] = .random(in: 0x30...0x39, using: &generator)
        case 2: bytes.remove(at: index)
        default: bytes.removeSubrange(index..<min(index + 20, bytes.count))
        }
      }
      if let decoded = try? FleetBatch(json: bytes) {
        accepted += 1
        #expect(decoded.entries.allSatisfy { $0.fix.coordinate != nil })
      }
      _ = try? FleetAcknowledgement(json: bytes)
      _ = try? FleetStatus(json: bytes)
    }
    #expect(accepted > 0)
  }
}
