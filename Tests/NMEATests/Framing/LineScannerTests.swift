// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import NMEA

@Suite("Line scanner")
struct LineScannerTests {
  @Test(arguments: 0...40)
  func `the line scanner stops at control characters and $ at any offset`(offset: Int) {
    for byte in UInt8.min...UInt8.max {
      var bytes = [UInt8](repeating: 0x41, count: 48)
      bytes[offset] = byte
      // The scanner must not skip the byte at `offset` and find this second end of line instead.
      bytes[47] = 0x0A
      let stop = LineScanner.scan(bytes.span, from: 0)
      let position = byte < 0x20 || byte == 0x24 ? offset : 47
      #expect(stop.position == position)
      #expect(stop.exclusiveOr == bytes[..<position].reduce(0, ^))
    }
  }

  @Test func `the line scanner agrees with a simple loop on random bytes`() {
    var random = Random(seed: 2)
    for _ in 0..<RandomInputs.count(20_000) {
      // These bytes are near the limits of the range of bytes that end a line.
      let near: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x23, 0x25, 0x7F, 0x80, 0x9F, 0xA0, 0xA4, 0xFF]
      let bytes = (0..<random.number(in: 0...40)).map { _ in
        random.happens(oneIn: 2) ? near[random.number(in: 1...11)] : random.byte() | 0x20
      }
      let start = random.number(in: 0...bytes.count)
      let stop = LineScanner.scan(bytes.span, from: start)
      let position =
        bytes[start...].firstIndex { $0 < 0x20 || $0 == 0x24 } ?? bytes.endIndex
      #expect(stop.position == position)
      #expect(stop.exclusiveOr == bytes[start..<position].reduce(0, ^))
    }
  }
}
