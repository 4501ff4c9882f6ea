// SPDX-License-Identifier: Apache-2.0

// For trigonometric functions.
import Glibc
internal import Positioning

/// A search for the places with the smallest scores: distance minus weight, in metres.
///
/// Visits the bands of latitude from the coordinate outward. Within a band, visits places eastward
/// and westward from the coordinate's longitude, across the 180th meridian if necessary. Stops when
/// no unvisited place can have a better score. Distances are first estimated on a sphere, with an
/// error below 0.7 %. If the estimate for a place differs from the best estimate by no more than
/// this error, the distance is also computed on the ellipsoid.
struct PlaceSearch {
  private struct Candidate {
    let index: Int
    let coordinate: Coordinate
    let weight: Double
    /// The lower limit of the score.
    let minScore: Double
  }

  private static let sphereRadius = 6_371_008.8
  /// The assumed relative error of spherical distances; the actual maximum is 0.56 %.
  private static let relativeError = 0.007
  private static let unitsPerRadian = 1_800_000 / Double.pi

  private let table: PlaceTable
  /// The number of places to find.
  private let count: Int
  /// Whether populous places are preferred.
  private let isWeighted: Bool
  private let coordinate: Coordinate
  private let latitude: Double
  private let longitude: Double
  private let cosine: Double
  /// The latitude from the south pole and the longitude from 180° W, in 0.0001 degrees.
  private let row: Int
  private let column: Int
  /// The upper limit of the scores of the best places so far; infinite until enough are found.
  private var best = Double.infinity
  /// The upper limits of the best scores, in ascending order, at most as many as places to find.
  private var limits: [Double] = []
  private var candidates: [Candidate] = []
  /// The maximum difference in latitude and longitude of a better place, in 0.0001 degrees.
  private var rowReach = 1_800_000
  private var columnReach = 1_800_000
  /// The number of places visited.
  private(set) var visited = 0

  init(
    _ table: PlaceTable, near coordinate: Coordinate, count: Int = 1, isWeighted: Bool = true
  ) {
    self.table = table
    self.count = count
    self.isWeighted = isWeighted
    self.coordinate = coordinate
    latitude = coordinate.latitudeDegrees * .pi / 180
    longitude = coordinate.longitudeDegrees * .pi / 180
    cosine = max(cos(latitude), 0)
    row = Int((coordinate.latitudeDegrees + 90) * 10_000)
    column = Int((coordinate.longitudeDegrees + 180) * 10_000)
  }

  typealias Match = (index: Int, coordinate: Coordinate, distanceMeters: Double)

  /// Returns the index, coordinate and distance of the best place, or `nil` if the table is empty.
  mutating func run() -> Match? { all().first }

  /// Returns the places, the best first.
  mutating func all() -> [Match] {
    let homeBand = min(row / 10_000, 179)
    search(band: homeBand)
    for step in 1..<180 {
      // The distance from the coordinate to the nearer edge of each band, in 0.0001 degrees.
      let south = row - (homeBand - step + 1) * 10_000
      let north = (homeBand + step) * 10_000 - row
      if min(south, north) > rowReach { break }
      if south <= rowReach { search(band: homeBand - step) }
      if north <= rowReach { search(band: homeBand + step) }
    }
    var matches: [(score: Double, match: Match)] = []
    for candidate in candidates where candidate.minScore <= best {
      let distance = coordinate.distanceMeters(to: candidate.coordinate)
      matches.append(
        (distance - candidate.weight, (candidate.index, candidate.coordinate, distance)))
    }
    // Of equal scores, the place that was visited first wins.
    let order = matches.indices.sorted { (matches[$0].score, $0) < (matches[$1].score, $1) }
    return order.prefix(count).map { matches[$0].match }
  }

  private mutating func search(band: Int) {
    let places = table.places(inBand: band)
    guard !places.isEmpty else { return }
    let start = firstPlace(of: places)
    var index = start
    for _ in places {
      if index == places.upperBound { index = places.lowerBound }
      guard visit(index, band: band, direction: 1) else { break }
      index += 1
    }
    index = start
    for _ in places {
      if index == places.lowerBound { index = places.upperBound }
      index -= 1
      guard visit(index, band: band, direction: -1) else { break }
    }
  }

  /// Returns the index of the first place east of the coordinate or at the same longitude, or the
  /// end of the band.
  private func firstPlace(of places: Range<Int>) -> Int {
    var (low, high) = (places.lowerBound, places.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if (table.record(middle)?.longitude ?? 0) < column { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Visits a place and returns whether the next place in the same direction may be in reach.
  private mutating func visit(_ index: Int, band: Int, direction: Int) -> Bool {
    guard let record = table.record(index) else { return false }
    let fullCircle = 3_600_000
    let offset = ((record.longitude - column) * direction + fullCircle) % fullCircle
    guard offset >= 0, offset <= 1_800_000, offset <= columnReach else { return false }
    visited += 1
    guard abs(band * 10_000 + record.latitudeInBand - row) <= rowReach,
      let place = record.coordinate(inBand: band)
    else { return true }
    let distance = Self.sphereRadius * angle(to: place)
    let weight = isWeighted ? record.weightMeters : 0
    let minScore = distance * (1 - Self.relativeError) - weight
    guard minScore <= best else { return true }
    candidates.append(
      Candidate(index: index, coordinate: place, weight: weight, minScore: minScore))
    let maxScore = distance * (1 + Self.relativeError) - weight
    if maxScore < best {
      limits.insert(maxScore, at: limits.firstIndex { $0 > maxScore } ?? limits.endIndex)
      if limits.count > count { limits.removeLast() }
      if limits.count == count, let limit = limits.last { narrowSearch(to: limit) }
    }
    return true
  }

  /// Returns the angle between the coordinate and a place in radians.
  ///
  /// Uses the haversine formula, which is accurate for small angles.
  private func angle(to place: Coordinate) -> Double {
    let other = place.latitudeDegrees * .pi / 180
    let rise = sin((other - latitude) / 2)
    let run = sin((place.longitudeDegrees * .pi / 180 - longitude) / 2)
    let haversine = rise * rise + cosine * cos(other) * run * run
    return 2 * asin(min(haversine.squareRoot(), 1))
  }

  private mutating func narrowSearch(to maxScore: Double) {
    best = maxScore
    candidates.removeAll { $0.minScore > maxScore }
    let reach =
      max(best + PlaceRecord.maxWeightMeters, 0) / (Self.sphereRadius * (1 - Self.relativeError))
    // Add two units: the reach and the coordinate are both rounded down.
    rowReach = Int(min(reach, .pi) * Self.unitsPerRadian) + 2
    // Unless a pole is in reach, the nearest point of a meridian is where a great circle through
    // the coordinate meets the meridian at a right angle.
    columnReach =
      reach < .pi / 2 - abs(latitude)
      ? Int(asin(min(sin(reach) / cosine, 1)) * Self.unitsPerRadian) + 2 : 1_800_000
  }
}
