// SPDX-License-Identifier: Apache-2.0

/// Fixes as columns of differences, the members of a batch.
///
/// An entry of a column is the difference to the last known value of the column, which is 0 before
/// the first; `null` is an unknown value. The last entry of a column counts for all fixes after it,
/// so a constant interval or a constant value takes two entries. A column without a known value is
/// omitted.
struct FleetColumns: Codable, Equatable {
  static let latitudes: ClosedRange<Int64> = -900_000_000...900_000_000
  static let longitudes: ClosedRange<Int64> = -1_800_000_000...1_800_000_000
  /// From 1970 to the end of the year 9999.
  static let times: ClosedRange<Int64> = 0...253_402_300_799_999
  /// Numbers that JSON readers with floating point represent exactly.
  static let bootTimes: ClosedRange<Int64> = 0...(1 << 53)
  static let altitudes: ClosedRange<Int64> = -200_000...1_000_000_000
  static let speeds: ClosedRange<Int64> = 0...5_144_445
  static let courses: ClosedRange<Int64> = 0...3599
  static let errors: ClosedRange<Int64> = 0...500_000_000
  static let modes: ClosedRange<Int64> = 2...3
  static let satelliteCounts: ClosedRange<Int64> = 0...255

  /// The first known Unix time in milliseconds.
  var t0: Int64?
  /// Unix times in milliseconds, relative to ``t0``.
  var t: [Int64?]?
  /// The first known `CLOCK_BOOTTIME` in milliseconds; sent if a Unix time is unknown.
  var m0: Int64?
  /// Values of `CLOCK_BOOTTIME` in milliseconds, relative to ``m0``.
  var m: [Int64?]?
  var lat: [Int64?]
  var lon: [Int64?]
  var alt: [Int64?]?
  var spd: [Int64?]?
  var trk: [Int64?]?
  var eph: [Int64?]?
  var mode: [Int64?]?
  var sats: [Int64?]?

  init(_ fixes: some Collection<FleetFix>) {
    func column(_ value: (FleetFix) -> Int64?) -> [Int64?]? { Self.entries(fixes.map(value)) }
    let firstTime = fixes.lazy.compactMap(\.timeMilliseconds).first
    t0 = firstTime
    t = column { fix in fix.timeMilliseconds.map { $0 &- (firstTime ?? 0) } }
    if fixes.contains(where: { $0.timeMilliseconds == nil }) {
      let firstBootTime = fixes.lazy.compactMap(\.bootMilliseconds).first
      m0 = firstBootTime
      m = column { fix in fix.bootMilliseconds.map { $0 &- (firstBootTime ?? 0) } }
    }
    lat = column(\.latitudeE7) ?? []
    lon = column(\.longitudeE7) ?? []
    alt = column(\.altitudeDecimeters)
    spd = column(\.speedCentimetersPerSecond)
    trk = column(\.courseTenthsOfDegree)
    eph = column(\.errorDecimeters)
    mode = column(\.mode)
    sats = column(\.satellites)
  }

  /// Returns the fixes.
  ///
  /// Throws ``FleetError`` if a column is too long or a value is outside its range.
  func fixes(count: Int) throws(FleetError) -> [FleetFix] {
    func column(
      _ member: String, _ entries: [Int64?]?, _ range: ClosedRange<Int64>, from first: Int64 = 0
    ) throws(FleetError) -> [Int64?] {
      guard let entries else { return Array(repeating: nil, count: count) }
      guard let values = Self.values(entries, count: count, range, from: first) else {
        throw .invalid(member: member)
      }
      return values
    }
    guard let latitudes = Self.values(lat, count: count, Self.latitudes) else {
      throw .invalid(member: "lat")
    }
    guard let longitudes = Self.values(lon, count: count, Self.longitudes) else {
      throw .invalid(member: "lon")
    }
    guard (t0 == nil) == (t == nil) else { throw .invalid(member: "t0") }
    guard (m0 == nil) == (m == nil) else { throw .invalid(member: "m0") }
    let times = try column("t", t, Self.times, from: t0 ?? 0)
    let bootTimes = try column("m", m, Self.bootTimes, from: m0 ?? 0)
    let altitudes = try column("alt", alt, Self.altitudes)
    let speeds = try column("spd", spd, Self.speeds)
    let courses = try column("trk", trk, Self.courses)
    let errors = try column("eph", eph, Self.errors)
    let modes = try column("mode", mode, Self.modes)
    let satellites = try column("sats", sats, Self.satelliteCounts)
    var fixes: [FleetFix] = []
    fixes.reserveCapacity(count)
    for index in 0..<count {
      guard let latitude = latitudes[index], let longitude = longitudes[index],
        var fix = FleetFix(latitudeE7: latitude, longitudeE7: longitude)
      else { throw .invalid(member: "lat") }
      fix.timeMilliseconds = times[index]
      fix.bootMilliseconds = bootTimes[index]
      fix.altitudeDecimeters = altitudes[index]
      fix.speedCentimetersPerSecond = speeds[index]
      fix.courseTenthsOfDegree = courses[index]
      fix.errorDecimeters = errors[index]
      fix.mode = modes[index]
      fix.satellites = satellites[index]
      fixes.append(fix)
    }
    return fixes
  }

  /// Returns the entries of a column; `nil` if no value is known.
  static func entries(_ values: [Int64?]) -> [Int64?]? {
    guard values.contains(where: { $0 != nil }) else { return nil }
    var last: Int64 = 0
    var entries = values.map { value in
      value.map { value in
        defer { last = value }
        return value &- last
      }
    }
    while entries.count > 1, entries[entries.count - 1] == entries[entries.count - 2] {
      entries.removeLast()
    }
    return entries
  }

  /// Returns the values of a column; `nil` if it has no or too many entries, or a value is outside
  /// the range.
  static func values(
    _ entries: [Int64?], count: Int, _ range: ClosedRange<Int64>, from first: Int64 = 0
  ) -> [Int64?]? {
    guard let repeated = entries.last, entries.count <= count else { return nil }
    var (last, values) = (first, [Int64?]())
    values.reserveCapacity(count)
    for index in 0..<count {
      guard let entry = index < entries.count ? entries[index] : repeated else {
        values.append(nil)
        continue
      }
      let (value, overflow) = last.addingReportingOverflow(entry)
      guard !overflow, range.contains(value) else { return nil }
      values.append(value)
      last = value
    }
    return values
  }
}
