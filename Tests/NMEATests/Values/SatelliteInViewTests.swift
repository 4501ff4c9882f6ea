// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NMEA

@Suite("Satellites of a GSV sentence")
struct SatelliteInViewTests {
  @Test func `a satellite in view treats an elevation, azimuth or signal out of range as unknown`() {
    let unknown = SatelliteInView(
      number: 1, elevationDegrees: 91, azimuthDegrees: 361, signalToNoiseDBHz: 100)
    #expect(unknown.elevationDegrees == nil)
    #expect(unknown.azimuthDegrees == nil)
    #expect(unknown.signalToNoiseDBHz == nil)
    let huge = SatelliteInView(
      number: 1, elevationDegrees: .max, azimuthDegrees: .max, signalToNoiseDBHz: .max)
    #expect(huge == SatelliteInView(number: 1))
  }

  @Test func `a satellite in view keeps an elevation, azimuth and signal in range`() {
    let last = SatelliteInView(
      number: .max, elevationDegrees: 90, azimuthDegrees: 359, signalToNoiseDBHz: 99)
    #expect(last.number == .max)
    #expect(last.elevationDegrees == 90)
    #expect(last.azimuthDegrees == 359)
    #expect(last.signalToNoiseDBHz == 99)
    #expect(SatelliteInView(number: 1, azimuthDegrees: 360).azimuthDegrees == 0)
  }

  @Test func `satellites beyond the capacity of a GSV sentence are dropped`() {
    var inView = SatellitesInView()
    for number in UInt16(1)...9 { inView.append(SatelliteInView(number: number)) }
    #expect(inView.map(\.number) == [1, 2, 3, 4])
    var numbers = SatelliteNumbers()
    for number in UInt16(1)...99 { numbers.append(number) }
    #expect(Array(numbers) == Array(1...24))
  }
}
