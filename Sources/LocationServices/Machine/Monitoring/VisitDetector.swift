// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// Detects visits from positions and their times.
///
/// A visit is a stay of at least five minutes within 100 m, and starts with the arrival. The visit
/// ends when the board has been more than 150 m away for two minutes, so a single outlier does not
/// end the visit.
struct VisitDetector: Codable, Equatable, Sendable {
  static let radiusMeters = 100.0
  /// The distance beyond which the board may be leaving a visit.
  static let leavingMeters = 150.0
  /// The minimum duration of a visit.
  static let stayingSeconds = 300.0
  /// The minimum time beyond ``leavingMeters`` before a visit ends.
  static let leavingSeconds = 120.0

  /// A possible or confirmed visit; the monotonic times belong to this run and are not stored.
  private struct Stay: Codable, Equatable {
    var anchor: Coordinate
    var arrival: UTCTime?
    /// The time of the last location inside the circle.
    var seen: UTCTime?
    /// Sums of the offsets north and east of the anchor, in degrees.
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

  /// Whether the values, which may come from a restored file, can occur.
  var hasValidState: Bool {
    guard let stay else { return true }
    return stay.north.isFinite && stay.east.isFinite && stay.count.isFinite && stay.count >= 0
      && stay.radiusMeters.isFinite && stay.radiusMeters >= 0
  }

  /// The visit in progress; `nil` while the board is travelling.
  var current: Visit? { stay.flatMap { $0.isVisit ? $0.visit(isFinished: false) : nil } }

  /// Processes a location; returns a visit that has just started or ended.
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
