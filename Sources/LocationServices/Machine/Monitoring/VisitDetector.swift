// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Tells a stay from a way, by where the board is and for how long.
///
/// A board that stays within a circle for long enough visits it, from when it came in. The visit
/// is over when the board has been well outside for a while: one stray location ends none.
struct VisitDetector: Codable, Equatable, Sendable {
  static let radiusMeters = 100.0
  static let leavingMeters = 150.0
  static let stayingSeconds = 300.0
  static let leavingSeconds = 120.0

  /// Where it may be staying; times along the track are of this run only, and not stored.
  private struct Stay: Codable, Equatable {
    var anchor: Coordinate
    var arrival: UTCTime?
    /// When it was last inside.
    var seen: UTCTime?
    /// Sums of how far north and east of the anchor it was, in degrees.
    var north = 0.0
    var east = 0.0
    var count = 0.0
    var radiusMeters = 0.0
    var isVisit = false
    var since: MonotonicTime?
    var leavingSince: MonotonicTime?

    enum CodingKeys: String, CodingKey {
      case anchor, arrival, seen, north, east, count, radiusMeters, isVisit
    }

    var coordinate: Coordinate {
      guard count > 0 else { return anchor }
      let longitude = (anchor.longitudeDegrees + east / count).remainder(dividingBy: 360)
      return Coordinate(
        latitudeDegrees: anchor.latitudeDegrees + north / count, longitudeDegrees: longitude)
        ?? anchor
    }

    mutating func take(_ location: Location, distance: Double) {
      north += location.coordinate.latitudeDegrees - anchor.latitudeDegrees
      east += (location.coordinate.longitudeDegrees - anchor.longitudeDegrees)
        .remainder(dividingBy: 360)
      count += 1
      radiusMeters = max(radiusMeters, distance)
      seen = location.time ?? seen
    }

    func visit(isFinished: Bool) -> Visit {
      Visit(
        arrival: arrival, departure: isFinished ? seen : nil, isFinished: isFinished,
        coordinate: coordinate, radiusMeters: radiusMeters)
    }
  }

  private var stay: Stay?

  init() {}

  /// Whether it is what taking locations one by one makes.
  var isWithinBounds: Bool {
    guard let stay else { return true }
    return stay.north.isFinite && stay.east.isFinite && stay.count.isFinite && stay.count >= 0
      && stay.radiusMeters.isFinite && stay.radiusMeters >= 0
  }

  /// The visit that goes on; `nil` while the board is on its way.
  var current: Visit? { stay.flatMap { $0.isVisit ? $0.visit(isFinished: false) : nil } }

  /// Takes where the board is; gives a visit that has begun or is over.
  mutating func take(_ location: Location, at now: MonotonicTime) -> Visit? {
    guard var stay else {
      begin(location, at: now)
      return nil
    }
    let distance = stay.anchor.distanceMeters(to: location.coordinate)
    if distance <= (stay.isVisit ? Self.leavingMeters : Self.radiusMeters) {
      stay.leavingSince = nil
      let since = stay.since ?? now
      stay.since = since
      stay.take(location, distance: distance)
      let begins = !stay.isVisit && now.seconds(since: since) >= Self.stayingSeconds
      if begins { stay.isVisit = true }
      self.stay = stay
      return begins ? stay.visit(isFinished: false) : nil
    }
    guard stay.isVisit else {
      begin(location, at: now)
      return nil
    }
    let leavingSince = stay.leavingSince ?? now
    guard now.seconds(since: leavingSince) >= Self.leavingSeconds else {
      stay.leavingSince = leavingSince
      self.stay = stay
      return nil
    }
    begin(location, at: now)
    return stay.visit(isFinished: true)
  }

  private mutating func begin(_ location: Location, at now: MonotonicTime) {
    var stay = Stay(anchor: location.coordinate, arrival: location.time)
    stay.since = now
    stay.take(location, distance: 0)
    self.stay = stay
  }
}
