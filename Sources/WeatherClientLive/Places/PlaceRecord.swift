// SPDX-License-Identifier: Apache-2.0

// For log10.
import Glibc
internal import Positioning

/// A decoded record of a `PlaceTable`.
struct PlaceRecord {
  /// Ten-thousandths of a degree of latitude north of the southern edge of the band.
  let latitudeInBand: Int
  /// Ten-thousandths of a degree of longitude east of 180° W.
  let longitude: Int
  /// The GeoNames identifier.
  let id: Int
  /// The number of inhabitants; 0 if the number is unknown.
  let population: Int
  /// The index for ``PlaceTable/zone(_:)``, which returns the country and the time zone.
  let zone: Int
  /// The length of the name in bytes.
  let nameBytes: Int

  init(low: UInt64, high: UInt64) {
    latitudeInBand = Int(low & 0xFFFF)
    longitude = Int(low >> 16 & 0xFF_FFFF)
    id = Int(low >> 40)
    population = Int(high & 0x1FF_FFFF)
    zone = Int(high >> 25 & 0x1FF)
    nameBytes = Int(high >> 34 & 0x3F)
  }

  /// Returns the coordinate, or `nil` if the coordinate of a damaged record is out of range.
  func coordinate(inBand band: Int) -> Coordinate? {
    Coordinate(
      latitudeDegrees: Double(band * 10_000 + latitudeInBand - 900_000) / 10_000,
      longitudeDegrees: Double(longitude - 1_800_000) / 10_000)
  }

  /// The number of metres that a search subtracts from the distance of the place: 2 km for each
  /// power of ten by which the population exceeds 500.
  ///
  /// `Sources/CPlaces/generate.py` uses the same formula.
  var weightMeters: Double { Self.weightMeters(population: population) }

  /// The weight in metres of the largest population that a record can store.
  static let maxWeightMeters = weightMeters(population: 0x1FF_FFFF)

  private static func weightMeters(population: Int) -> Double {
    population > 500 ? 2000 * log10(Double(population) / 500) : 0
  }
}
