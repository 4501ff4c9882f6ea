// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import SystemSupport
import Testing

@testable import ReceiverSimulator
@testable import Receivers

/// Reading of valid and damaged GPX files.
@Suite struct GPXReaderTests {
  private static let good = """
    <?xml version='1.0'?>
    <!-- <trkpt lat="1" lon="1"/> is not a point -->
    <gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><ele>5</ele></metadata>
    <rte><rtept lat="9" lon="9"/></rte>
    <trk><name><![CDATA[<trkpt lat="2" lon="2">]]></name><trkseg>
      <trkpt lon='11.25' lat='48.5'><ele> 519.5 </ele><time>x</time></trkpt>
      <gpx:trkpt   lat = "-48.25"
         lon = "-11.5" />
      <ele>7</ele>
      <trkpt lat="0" lon="180"><extensions><a:b ele="3"/></extensions></trkpt>
    </trkseg></trk></gpx>
    """

  @Test func `track points with heights are read from GPX, and other elements are ignored`() throws {
    let points = try SimulatedRoute(gpx: Array(Self.good.utf8)).waypoints
    #expect(points.map(\.coordinate.latitudeDegrees) == [48.5, -48.25, 0])
    #expect(points.map(\.coordinate.longitudeDegrees) == [11.25, -11.5, 180])
    #expect(points.map(\.altitudeMetersAboveSeaLevel) == [519.5, nil, nil])
  }

  @Test func `route points are read from a GPX file without a track`() throws {
    let text = "<gpx><rte><rtept lat='1' lon='2'><ele>3</ele></rtept></rte></gpx>"
    let points = try SimulatedRoute(gpx: Array(text.utf8)).waypoints
    #expect(points.count == 1)
    #expect(points.first?.altitudeMetersAboveSeaLevel == 3)
  }

  @Test(arguments: [
    ("", GPXError(kind: .noPoints, line: 1)),
    ("<gpx>\n\n</gpx>", GPXError(kind: .noPoints, line: 3)),
    ("\n<trkpt lon='1'>", GPXError(kind: .missingAttribute("lat"), line: 2)),
    ("\n\n<trkpt lat='1'>", GPXError(kind: .missingAttribute("lon"), line: 3)),
    ("<trkpt lat='91' lon='1'>", GPXError(kind: .badNumber(field: "lat", value: "91"), line: 1)),
    (
      "<trkpt lat='nan' lon='1'>", GPXError(kind: .badNumber(field: "lat", value: "nan"), line: 1)
    ),
    ("<trkpt lat='1' lon='x1'>", GPXError(kind: .badNumber(field: "lon", value: "x1"), line: 1)),
    (
      "<rtept lat='1' lon='1'>\n<ele>inf</ele>",
      GPXError(kind: .badNumber(field: "ele", value: "inf"), line: 2)
    ),
    ("\n<trkpt lat='1", GPXError(kind: .unfinished, line: 2)),
    ("<trkpt lat='1' lon='2'", GPXError(kind: .unfinished, line: 1)),
    ("<trkpt lat='1' lon='2'/>\n<!-- ", GPXError(kind: .unfinished, line: 2)),
  ])
  func `the error for an invalid GPX file contains the cause and line`(text: String, error: GPXError) {
    #expect(throws: error) { try SimulatedRoute(gpx: Array(text.utf8)) }
  }

  @Test func `a randomly damaged GPX file is read or rejected without a crash`() {
    var random = SplitMix64(seed: 7)
    let good = Array(Self.good.utf8)
    var readable = 0
    for round in 0..<5000 {
      var bytes = good
      for _ in 0...(round % 20) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
      if (try? SimulatedRoute(gpx: bytes)) != nil { readable += 1 }
    }
    #expect((1..<5000).contains(readable))
  }

  @Test(.oneAtATime)
  func `a GPX file with too many points is rejected`() {
    let text = String(repeating: "<trkpt lat='1' lon='2'/>", count: GPXReader.maxPoints + 1)
    #expect(throws: GPXError(kind: .tooManyPoints(limit: GPXReader.maxPoints), line: 1)) {
      try SimulatedRoute(gpx: Array(text.utf8))
    }
  }
}
