// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import SystemSupport
internal import WeatherClient

/// The time zone of a place, as far as a provider's reply states it.
struct PlaceZone: Equatable {
  /// The IANA name in the reply, such as `Europe/London`.
  var name: String?
  /// The offset from UTC in the reply, in seconds.
  ///
  /// Replies contain the offset of the current time, which is wrong after the next change to or
  /// from daylight saving time.
  var offsetSeconds: Double?

  /// The maximum distance in metres of a place whose time zone is used.
  private static let reachMeters: Double = 200_000

  /// Returns the time zone whose midnights separate the days of a forecast.
  ///
  /// Prefers rules of the time zone database, which include changes of daylight saving time: those
  /// of the zone in the reply, then those of the nearest town within 200 km. Rules are used only if
  /// they agree with the offset in the reply. Otherwise the zone has a fixed offset: the offset in
  /// the reply, or the nautical offset of one hour per 15 degrees of longitude.
  ///
  /// - Parameters:
  ///   - coordinate: The coordinate of the report.
  ///   - time: The time of the reply, or `nil` if it is unknown.
  /// - Returns: The zone.
  func zone(at coordinate: Coordinate, _ time: UTCTime?) -> LocalZone {
    // No time zone is more than 18 hours from UTC.
    let offset = offsetSeconds.flatMap { abs($0) <= 64_800 ? Int64($0) : nil }
    // A server that does not support the zone of the place states UTC.
    let isStated = name?.contains("/") == true && name?.hasPrefix("Etc/") == false
    let town = {
      Gazetteer.geoNames.nearest(1, to: coordinate).first
        .flatMap { ($0.distanceMeters ?? .infinity) <= Self.reachMeters ? $0.timeZone : nil }
    }
    if name != nil, !isStated, offset ?? 0 == 0, let rules = town().flatMap(ZoneRules.init(named:))
    {
      return .rules(rules)
    }
    func rules(_ name: String?) -> LocalZone? {
      guard let rules = name.flatMap(ZoneRules.init(named:)) else { return nil }
      if let offset, let time, rules.offset(at: time).seconds != offset { return nil }
      return .rules(rules)
    }
    func fixed(_ seconds: Int64) -> LocalZone {
      .fixed(offsetSeconds: seconds, abbreviation: "")
    }
    return rules(name)
      ?? rules(town())
      ?? offset.map(fixed)
      ?? fixed(Int64((coordinate.longitudeDegrees / 15).rounded()) * 3600)
  }
}
