// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import fixcast

@Suite("The sky plot of the live view")
struct SkyPlotTests {
  private static func satellite(
    _ number: UInt8, _ elevation: Double?, _ azimuth: Double?, isUsed: Bool = true
  ) -> SkySatellite {
    SkySatellite(
      id: SatelliteID(system: .gps, number: number), signalDBHz: 40, isUsed: isUsed,
      elevationDegrees: elevation, azimuthDegrees: azimuth)
  }

  @Test func `the sky plot shows north at the top, east on the right and the zenith in the middle`() {
    let plot = SkyPlot(
      [
        Self.satellite(1, 45, 0), Self.satellite(2, 45, 90, isUsed: false),
        Self.satellite(3, 45, 180), Self.satellite(4, 45, 270), Self.satellite(5, 90, 0),
      ], radius: 4)
    let lines = plot.lines
    #expect(lines.count == 9 && lines.allSatisfy { $0.count == 17 }, "\(lines)")
    #expect(lines[0].contains("N") && lines[8].contains("S"))
    #expect(lines[4].hasPrefix("W") && lines[4].hasSuffix("E"), "\(lines)")
    #expect(lines[2].contains("●G01") && lines[6].contains("●G03"), "\(lines)")
    // The mark tells used from unused satellites, without colours.
    let middle = Array(lines[4])
    #expect(middle[4] == "●" && middle[8] == "●" && middle[12] == "○", "\(lines)")
  }

  @Test func `the sky plot omits satellites without a direction, and keeps all marks apart from names`() {
    let unknown = [
      Self.satellite(1, nil, 10), Self.satellite(2, 10, nil), Self.satellite(3, .nan, .infinity),
    ]
    #expect(!SkyPlot(unknown, radius: 5).lines.joined().contains("●"))
    let many = (1...12).map { Self.satellite($0, 30, Double($0) * 30) }
    let text = SkyPlot(many, radius: 5).lines.joined()
    #expect(text.count { $0 == "●" } == 12, "\(text)")
    #expect(text.count { $0 == "G" } > 6, "\(text)")
  }

  @Test(
    arguments: [(17, 9, 4), (16, 9, nil), (17, 8, nil), (21, 40, 5), (200, 60, 12)]
      as [(Int, Int, Int?)])
  func `the sky plot has the largest radius that fits`(columns: Int, rows: Int, expected: Int?) {
    #expect(SkyPlot.radius(columns: columns, rows: rows) == expected)
  }

  @Test func `a satellite with several signals is one satellite with the strongest of them`() {
    var first = Satellite(id: SatelliteID(system: .galileo, number: 3), rawNumber: 3)
    first.signalToNoiseDBHz = 30
    first.elevationDegrees = 12
    var second = first
    second.signalToNoiseDBHz = 41
    second.isUsed = true
    var silent = Satellite(id: SatelliteID(system: .gps, number: 7), rawNumber: 7)
    silent.signalToNoiseDBHz = 0
    let satellites = SkySatellite.all(in: SkyView(satellites: [silent, first, second]))
    #expect(satellites.map(\.name) == ["E03", "G07"])
    #expect(satellites.first?.signalDBHz == 41 && satellites.first?.isUsed == true)
    #expect(satellites.last?.signalDBHz == nil)
  }
}
