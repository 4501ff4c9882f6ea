// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Positioning

@Suite("Layout and coding of values")
struct LayoutTests {
  @Test func `a Satellite occupies 32 bytes`() { #expect(MemoryLayout<Satellite>.stride == 32) }

  @Test func `two satellites with the same unknown fields are equal and hash alike`() {
    let satellite = Satellite(id: SatelliteID(system: .gps, number: 7), rawNumber: 7)
    #expect(satellite == satellite)
    #expect(satellite.hashValue == satellite.hashValue)
    #expect(satellite.elevationDegrees == nil)
  }

  @Test func `known dilutions are encoded as numbers by name, and unknown dilutions are omitted`() throws {
    var dilution = Dilution()
    dilution.horizontal = 1.5
    dilution.time = 2
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let written = try encoder.encode(dilution)
    #expect(String(decoding: written, as: UTF8.self) == #"{"horizontal":1.5,"time":2}"#)
    #expect(try JSONDecoder().decode(Dilution.self, from: written) == dilution)
    #expect(try JSONDecoder().decode(Dilution.self, from: Data("{}".utf8)) == Dilution())
  }
}
