// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

@testable import Plugins

@Suite("End of a GPX file")
struct GPXTailTests {
  private func point(_ number: Int, _ length: Int) -> String {
    "<trkpt lat=\"1\" lon=\"2\"><name>\(number)</name><cmt>"
      + String(repeating: "x", count: length) + "</cmt></trkpt>\n"
  }

  private func apply(_ write: GPXTail.Write, to file: inout [UInt8]) {
    #expect(write.offset <= file.count, "the write leaves a gap")
    if file.count < write.end {
      file += [UInt8](repeating: 0, count: write.end - file.count)
    }
    file.replaceSubrange(write.offset..<write.end, with: write.bytes)
  }

  @Test func `a GPX file is well-formed after every write, and no write crosses a page boundary`() throws {
    var random = SeededGenerator(seed: 7)
    let head = GPXText.header + "<trk><trkseg>\n" + point(0, 20)
    var file = Array((head + GPXText.closing).utf8)
    var end = head.utf8.count
    var crossings = 0
    for number in 1...150 {
      let text = Array(point(number, Int.random(in: 0...600, using: &random)).utf8)
      let (writes, next) = GPXTail.writes(adding: text, at: end)
      crossings += writes.count > 1 ? 1 : 0
      for (index, write) in writes.enumerated() {
        #expect(write.offset / 4096 == (write.end - 1) / 4096, "point \(number) crosses a page")
        apply(write, to: &file)
        let isLast = index == writes.count - 1
        let points = try GPXDocument(file).points
        #expect(points == number + (isLast ? 1 : 0), "point \(number), write \(index)")
        // A restarted program finds the offset at which the track continues.
        let tail = Array(file.suffix(2 * GPXTail.pageSize))
        let place = try #require(GPXTail.resumption(in: tail)) + file.count - tail.count
        #expect(place == (isLast ? next : end))
      }
      end = next
    }
    #expect(crossings > 8)
  }

  @Test(arguments: [
    ("<trkpt>1</trkpt>\n<trkpt>2</trkpt>\n<trkpt lat=\"", "<trkpt>1</trkpt>\n<trkpt>2</trkpt>"),
    ("<trkpt>1</trkpt>\u{0}\u{0}\u{0}", "<trkpt>1</trkpt>"),
    ("<trkpt>1</trkpt>\n</trkseg></trk></gp", "<trkpt>1</trkpt>"),
    ("<trkpt>1</trkpt>\n</trkseg></trk></gpx>\n", "<trkpt>1</trkpt>\n"),
  ])
  func `after a power cut a track continues after its last complete point`(tail: String, kept: String) {
    #expect(GPXTail.resumption(in: Array(tail.utf8)) == kept.utf8.count)
  }

  @Test func `a file with neither a point nor a closing tag has no offset at which a track continues`() {
    #expect(GPXTail.resumption(in: []) == nil)
    #expect(GPXTail.resumption(in: Array("<trk><trkseg>".utf8)) == nil)
  }
}
