// SPDX-License-Identifier: Apache-2.0

package import Positioning
package import SystemSupport
package import WeatherClient

/// Formats values for people, in their units and their time zone.
///
/// All parameters are in the units of the program: metres, metres per second, degrees Celsius,
/// hectopascals, millimetres and UTC.
package struct ValueFormat: Equatable, Sendable {
  /// The units.
  package var units = UnitSystem.metric
  /// The time zone.
  package var zone = LocalZone.utc

  /// Creates a format; the default is metric and UTC.
  package init(units: UnitSystem = .metric, zone: LocalZone = .utc) {
    self.units = units
    self.zone = zone
  }

  /// Returns the speed of the board: `15.5 km/h`, `9.6 mph` or `8.4 kn`.
  package func speed(_ metersPerSecond: Double, width: Int = 0) -> String {
    switch units {
    case .metric: Text.fixed(metersPerSecond * 3.6, 1, width: width) + " km/h"
    case .imperial, .nautical: wind(metersPerSecond, width: width)
    }
  }

  /// Returns the speed of the wind: `4.3 m/s`, `9.6 mph` or `8.4 kn`.
  package func wind(_ metersPerSecond: Double, width: Int = 0) -> String {
    Text.fixed(windValue(metersPerSecond), 1, width: width) + " " + windUnit
  }

  /// Returns the number of a wind speed, for a table whose heading has ``windUnit``.
  package func windValue(_ metersPerSecond: Double) -> Double {
    switch units {
    case .metric: metersPerSecond
    case .imperial: metersPerSecond / 0.44704
    case .nautical: metersPerSecond * 3600 / 1852
    }
  }

  /// The unit of wind speeds.
  package var windUnit: String {
    switch units {
    case .metric: "m/s"
    case .imperial: "mph"
    case .nautical: "kn"
    }
  }

  /// Returns an altitude or an accuracy: `40.8 m` or `134 ft`.
  package func height(_ meters: Double, width: Int = 0) -> String {
    units == .imperial
      ? Text.fixed(meters / 0.3048, 0, width: width) + " ft"
      : Text.fixed(meters, 1, width: width) + " m"
  }

  /// Returns a distance on the ground: `11.1 km`, `6.9 mi` or `6.0 nmi`.
  package func distance(_ meters: Double, places: Int = 1) -> String {
    switch units {
    case .metric: Text.fixed(meters / 1000, places) + " km"
    case .imperial: Text.fixed(meters / 1609.344, places) + " mi"
    case .nautical: Text.fixed(meters / 1852, places) + " nmi"
    }
  }

  /// Returns a temperature: `11.4 °C` or `52.5 °F`.
  package func temperature(_ degreesCelsius: Double) -> String {
    Text.fixed(temperatureValue(degreesCelsius), 1) + " " + temperatureUnit
  }

  /// Returns the number of a temperature, for a table whose heading has ``temperatureUnit``.
  package func temperatureValue(_ degreesCelsius: Double) -> Double {
    units == .imperial ? degreesCelsius * 1.8 + 32 : degreesCelsius
  }

  /// The unit of temperatures.
  package var temperatureUnit: String { units == .imperial ? "°F" : "°C" }

  /// Returns an air pressure: `1013.2 hPa` or `29.92 inHg`.
  ///
  /// - Parameters:
  ///   - hectopascals: The pressure, or a difference of pressures.
  ///   - places: The decimal places of a value in hectopascals; inches of mercury have two.
  /// - Returns: The number and the unit.
  package func pressure(_ hectopascals: Double, places: Int) -> String {
    units == .imperial
      ? Text.fixed(hectopascals / 33.863_886_67, 2) + " inHg"
      : Text.fixed(hectopascals, places) + " hPa"
  }

  /// Returns an amount of precipitation: `4.2 mm` or `0.17 in`.
  package func precipitation(_ millimeters: Double) -> String {
    precipitationNumber(millimeters) + " " + precipitationUnit
  }

  /// Returns the number of an amount of precipitation, for a table whose heading has
  /// ``precipitationUnit``.
  package func precipitationNumber(_ millimeters: Double, width: Int = 0) -> String {
    units == .imperial
      ? Text.fixed(millimeters / 25.4, 2, width: width) : Text.fixed(millimeters, 1, width: width)
  }

  /// The unit of precipitation.
  package var precipitationUnit: String { units == .imperial ? "in" : "mm" }

  /// Returns the title of a place relative to the searched coordinate, such as
  /// `623 km WSW of Horta`.
  package func title(of place: Place) -> String {
    place.relativeTitle { distance($0, places: 0) }
  }
}

/// Dates and times.
extension ValueFormat {
  /// Returns a date and a time of day: `2009-07-24 12:47:06 CEST`, or `2009-07-24 10:47:06Z` in UTC.
  package func time(_ time: UTCTime) -> String {
    let local = zone.local(time)
    return Self.date(local.date) + " " + Self.clock(local.timeOfDay) + ":"
      + Self.twoDigits(local.timeOfDay.second) + Self.suffix(local)
  }

  /// Returns a date and a time of day to the minute.
  package func minute(_ time: UTCTime) -> String {
    let local = zone.local(time)
    return Self.date(local.date) + " " + Self.clock(local.timeOfDay) + Self.suffix(local)
  }

  /// Returns a time that was rounded down to a quarter of an hour because of reduced accuracy.
  package func coarse(_ time: UTCTime) -> String {
    "\(self.time(time)) or up to \(UTCTime.quarterSeconds / 60) min later"
  }

  /// Returns a time of day to the minute, without the zone.
  package func clock(_ time: UTCTime) -> String { Self.clock(zone.local(time).timeOfDay) }

  /// Returns the weekday and the time of day of a forecast step: `Fri 12:00`.
  ///
  /// If the clocks show the time twice on that day, the zone is added: `Sun 02:00 CEST`.
  package func hour(_ time: UTCTime) -> String {
    let text = "\(Self.day(date(of: time)).prefix(3)) \(clock(time))"
    return zone.isRepeated(time) ? "\(text) \(zoneName(at: time))" : text
  }

  /// Returns the local date of a time.
  package func date(of time: UTCTime) -> UTCDate { zone.local(time).date }

  /// Returns the abbreviation of the zone at a time: `UTC` or, for example, `CEST`.
  package func zoneName(at time: UTCTime) -> String { zone.local(time).abbreviation ?? "UTC" }

  /// Returns a date with its weekday: `Fri 2009-07-24`.
  package static func day(_ date: UTCDate) -> String {
    let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    // 1970-01-01 was a Thursday.
    let index = Int(date.daysSince1970) % 7
    return names[index < 0 ? index + 7 : index] + " " + Self.date(date)
  }

  private static func date(_ date: UTCDate) -> String {
    let (year, month, day) = date.civil
    return "\(year)-\(twoDigits(month))-\(twoDigits(day))"
  }

  private static func clock(_ clock: UTCTimeOfDay) -> String {
    "\(twoDigits(clock.hour)):\(twoDigits(clock.minute))"
  }

  private static func suffix(_ local: LocalZone.LocalTime) -> String {
    local.abbreviation.map { " " + $0 } ?? "Z"
  }

  private static func twoDigits(_ number: some BinaryInteger) -> String {
    (number < 10 ? "0" : "") + "\(number)"
  }
}
