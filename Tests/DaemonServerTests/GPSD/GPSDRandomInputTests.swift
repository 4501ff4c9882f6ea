// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

@testable import DaemonServer

/// A short run of what `make fuzz` does for hours.
@Suite struct GPSDRandomInputTests {
  private struct Answer: Decodable {
    var `class`: String
  }

  /// Replaces, removes and inserts a few bytes.
  private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      let byte = UInt8.random(in: .min ... .max, using: &generator)
      switch Int.random(in: 0...2, using: &generator) {
      case 0: bytes[index] = byte
      case 1: bytes.remove(at: index)
      default: bytes.insert(byte, at: index)
      }
    }
    return bytes
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `every answer to a damaged request is a JSON object, and the next request is answered`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let requests = GPSDClientTests.clients.map(\.request) + ["?POLL;", "?DEVICE={\"path\":\"x\"};"]
    for _ in 0..<500 {
      var session = GPSDSession(version: GPSDFixture.version)
      let request = try #require(requests.randomElement(using: &generator))
      let bytes = Self.mutate(Array(request.utf8), &generator)
      for line in GPSDSession.lines(session.receive(bytes, GPSDFixture.view)) {
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(line.utf8))
        #expect(answer?.class.isEmpty == false, "\(bytes): \(line)")
        #expect(line.hasPrefix(#"{"class":""#), "\(bytes): \(line)")
      }
      _ = session.lines("\n;")
      #expect(session.lines("?VERSION;") == [GPSDFixture.versionLine], "\(bytes)")
    }
  }
}
