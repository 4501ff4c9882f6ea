// SPDX-License-Identifier: Apache-2.0

// The logarithm is the C library's.
import Glibc
internal import Positioning

/// One place of a `PlaceTable`, as its bits say.
struct PlaceRecord {
  /// Ten-thousandths of a degree of latitude above the foot of its band.
  let latitudeInBand: Int
  /// Ten-thousandths of a degree of longitude east of 180° W.
  let longitude: Int
  /// GeoNames' number.
  let id: Int
  /// Inhabitants; 0 where GeoNames does not know.
  let population: Int
  /// The number of its country and time zone.
  let zone: Int
  /// The bytes of its name.
  let nameBytes: Int

  init(low: UInt64, high: UInt64) {
    latitudeInBand = Int(low & 0xFFFF)
    longitude = Int(low >> 16 & 0xFF_FFFF)
    id = Int(low >> 40)
    population = Int(high & 0x1FF_FFFF)
    zone = Int(high >> 25 & 0x1FF)
    nameBytes = Int(high >> 34 & 0x3F)
  }

  /// Where it is; `nil` where its bits are not on the globe.
  func coordinate(inBand band: Int) -> Coordinate? {
    Coordinate(
      latitudeDegrees: Double(band * 10_000 + latitudeInBand - 900_000) / 10_000,
      longitudeDegrees: Double(longitude - 1_800_000) / 10_000)
  }

  /// By how many metres it is preferred to a hamlet at the same distance: 2 km for each power of
  /// ten of inhabitants above 500, as when the table was made.
  var weightMeters: Double { Self.weightMeters(population: population) }

  /// The weight of the largest number of inhabitants that a record can hold.
  static let heaviestMeters = weightMeters(population: 0x1FF_FFFF)

  private static func weightMeters(population: Int) -> Double {
    population > 500 ? 2000 * log10(Double(population) / 500) : 0
  }
}
