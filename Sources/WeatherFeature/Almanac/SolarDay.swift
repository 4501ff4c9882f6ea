// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The sun's day at a place: from the midnight before a noon to the one after it, by the sun.
///
/// Days are the sun's own, so that none of this needs a time zone: the day of a moment is the one
/// in which it lies by mean solar time. Computed by J. Meeus, "Astronomical Algorithms", 2nd
/// edition, chapters 12, 15 and 25, for sea level and a free horizon; right to some seconds below
/// 60° of latitude, where the air lets it be. Heights and hills are not considered.
public struct SolarDay: Equatable, Hashable, Sendable {
  /// When the sun is highest.
  public let noon: UTCTime
  /// Sunrise and sunset: the upper edge on the horizon.
  public let sun: SunPassage
  /// Civil twilight: the middle 6° below the horizon; enough light to be outside without a lamp.
  public let civilTwilight: SunPassage
  /// Nautical twilight: 12° below; the horizon at sea can be seen.
  public let nauticalTwilight: SunPassage
  /// Astronomical twilight: 18° below; beyond, it is as dark as it gets.
  public let astronomicalTwilight: SunPassage

  /// When the sun rises; `nil` where it does not that day.
  public var sunrise: UTCTime? { sun.up }
  /// When the sun sets; `nil` where it does not that day.
  public var sunset: UTCTime? { sun.down }

  /// The years that the formulas are good for.
  public static let years = 1900...2100

  /// Computes a day.
  ///
  /// Gives `nil` outside of ``years``.
  ///
  /// - Parameters:
  ///   - time: A moment of the day.
  ///   - coordinate: Where.
  public init?(of time: UTCTime, at coordinate: Coordinate) {
    guard Self.years.contains(time.date.civil.year) else { return nil }
    let noon = Self.noon(of: AstronomicalTime(time), at: coordinate)
    // Hour by hour, with noon among them: so the shortest days and nights are not stepped over.
    let hours = (-12...12).map { hour in
      let time = AstronomicalTime(seconds: noon.seconds + Double(hour) * 3600)
      return (time, SunPosition.altitudeDegrees(at: time, over: coordinate))
    }
    func passage(_ height: SunHeight) -> SunPassage {
      Self.passage(of: height.rawValue, hours: hours, at: coordinate)
    }
    self.noon = noon.utc
    sun = passage(.edge)
    civilTwilight = passage(.civil)
    nauticalTwilight = passage(.nautical)
    astronomicalTwilight = passage(.astronomical)
  }

  private static func noon(
    of time: AstronomicalTime, at coordinate: Coordinate
  ) -> AstronomicalTime {
    let turn = coordinate.longitudeDegrees / 360
    let mean = (time.julianDate + turn + 0.5).rounded(.down) - turn
    var noon = AstronomicalTime(seconds: (mean - 2_440_587.5) * 86_400)
    // The equation of time is 16 minutes at most, and changes by half a minute a day.
    for _ in 0..<3 {
      let hourAngle = SunPosition.hourAngleDegrees(at: noon, over: coordinate)
      noon = AstronomicalTime(seconds: noon.seconds - hourAngle * 240)
    }
    return noon
  }

  private static func passage(
    of height: Double, hours: [(time: AstronomicalTime, altitude: Double)],
    at coordinate: Coordinate
  ) -> SunPassage {
    var up: UTCTime?
    var down: UTCTime?
    for (before, after) in zip(hours, hours.dropFirst()) {
      let (wasAbove, isAbove) = (before.altitude >= height, after.altitude >= height)
      guard wasAbove != isAbove else { continue }
      let crossing = crossing(of: height, from: before.time, to: after.time, at: coordinate)
      if isAbove { up = up ?? crossing } else { down = crossing }
    }
    // What went down before it came up is the end of the day before.
    if let began = up, let ended = down, ended < began { down = nil }
    if up != nil || down != nil { return .crosses(up: up, down: down) }
    return hours.contains { $0.altitude >= height } ? .staysAbove : .staysBelow
  }

  /// Halves an interval, at whose ends the sun is on either side, down to milliseconds.
  private static func crossing(
    of height: Double, from start: AstronomicalTime, to end: AstronomicalTime,
    at coordinate: Coordinate
  ) -> UTCTime {
    var (low, high) = (start.seconds, end.seconds)
    let startsAbove = SunPosition.altitudeDegrees(at: start, over: coordinate) >= height
    for _ in 0..<22 {
      let middle = (low + high) / 2
      let time = AstronomicalTime(seconds: middle)
      if (SunPosition.altitudeDegrees(at: time, over: coordinate) >= height) == startsAbove {
        low = middle
      } else {
        high = middle
      }
    }
    return AstronomicalTime(seconds: (low + high) / 2).utc
  }
}
