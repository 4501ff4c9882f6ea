// SPDX-License-Identifier: Apache-2.0

import Positioning

/// Compares a fix with the fix that was decoded from its sentences.
struct NMEAEpochComparison {
  /// The names of the values that differ by more than the resolution of the sentences.
  private(set) var differences: [String] = []

  init(of fix: Fix, with decoded: Fix) {
    expect("mode", fix.mode == decoded.mode)
    expect("time", Self.milliseconds(fix.time) == Self.milliseconds(decoded.time))
    expect("used", Self.isUsedCount(decoded.satellitesUsed, of: fix))
    guard fix.mode > .none else { return }
    compare(
      "latitude", fix.coordinate?.latitudeDegrees, decoded.coordinate?.latitudeDegrees, 1e-7)
    compare(
      "longitude", fix.coordinate?.longitudeDegrees, decoded.coordinate?.longitudeDegrees, 1e-7)
    if fix.mode == .threeDimensional {
      // Large values are written with fewer decimal places.
      compare(
        "altitude", fix.altitudeMetersAboveSeaLevel, decoded.altitudeMetersAboveSeaLevel, 0.006,
        relative: 1e-5)
      compare("separation", fix.geoidSeparationMeters, decoded.geoidSeparationMeters, 0.06)
    } else {
      // The decoder drops the altitude of a GSA with two dimensions.
      expect("altitude", decoded.altitudeMetersAboveSeaLevel == nil)
    }
    compare(
      "speed", fix.speedMetersPerSecond, decoded.speedMetersPerSecond, 0.000_3, relative: 1e-4)
    let turn = abs((fix.courseDegreesTrue ?? 0) - (decoded.courseDegreesTrue ?? 0))
    expect("course", (fix.courseDegreesTrue == nil) == (decoded.courseDegreesTrue == nil))
    expect("course", min(turn, 360 - turn) < 0.006)
    // The decoder takes 0 for unknown.
    let variation = fix.magneticVariationDegrees.flatMap { abs($0) < 0.05 ? nil : $0 }
    compare("variation", variation, decoded.magneticVariationDegrees, 0.06)
    compare("PDOP", Self.known(fix.dilution.position), decoded.dilution.position, 0.006)
    compare("HDOP", Self.known(fix.dilution.horizontal), decoded.dilution.horizontal, 0.006)
    compare("VDOP", Self.known(fix.dilution.vertical), decoded.dilution.vertical, 0.006)
    compare("age", fix.correctionAgeSeconds, decoded.correctionAgeSeconds, 0.06)
    let status: FixStatus =
      switch fix.status {
      case .combined, nil: .autonomous
      case let status?: status
      }
    expect("status", decoded.status == (fix.isSimulated ? .simulated : status))
    expect("simulated", decoded.isSimulated == (fix.isSimulated || fix.status == .simulated))
  }

  private mutating func expect(_ name: String, _ isEqual: Bool) {
    if !isEqual { differences.append(name) }
  }

  /// Compares two values up to a tolerance, of which one part is relative to the value.
  private mutating func compare(
    _ name: String, _ stated: Double?, _ decoded: Double?, _ tolerance: Double,
    relative: Double = 0
  ) {
    switch (stated, decoded) {
    case (nil, nil): break
    case (let stated?, let decoded?):
      expect(name, abs(stated - decoded) <= tolerance + abs(stated) * relative)
    default: differences.append(name)
    }
  }

  /// Returns a dilution, or `nil` for the values that receivers send for an unknown dilution.
  private static func known(_ dilution: Double?) -> Double? {
    dilution.flatMap { (0.005..<99.895).contains($0) ? $0 : nil }
  }

  private static func milliseconds(_ time: UTCTime?) -> [Int64]? {
    time.map { [$0.secondsSince1970, Int64($0.nanosecond / 1_000_000), $0.isLeapSecond ? 1 : 0] }
  }

  /// Returns whether the decoded number of satellites is right; 12 may stand for more in a GGA.
  private static func isUsedCount(_ decoded: Int?, of fix: Fix) -> Bool {
    decoded == fix.satellitesUsed.map { min($0, 99) }
      || (fix.satellitesUsed == 12 && decoded != nil)
  }
}
