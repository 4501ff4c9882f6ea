// SPDX-License-Identifier: Apache-2.0

package import Positioning

extension Coordinate {
  /// Makes a coordinate from valid degrees; stops the test if the degrees are out of range.
  package static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let made = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else {
      preconditionFailure("\(latitude), \(longitude) is out of range")
    }
    return made
  }
}

extension Fix {
  /// Makes a fix at valid degrees, with only the other values that `change` sets.
  package static func at(
    _ latitude: Double, _ longitude: Double = 0, mode: FixMode = .threeDimensional, time: UTCTime? = nil,
    _ change: (inout Fix) -> Void = { _ in }
  ) -> Fix {
    var fix = Fix(mode: mode)
    (fix.coordinate, fix.time) = (.at(latitude, longitude), time)
    change(&fix)
    return fix
  }
}

extension Location {
  /// Makes a location at valid degrees, with only the other values that `change` sets.
  package static func at(
    _ latitude: Double, _ longitude: Double = 0, time: UTCTime? = nil, _ change: (inout Location) -> Void = { _ in }
  ) -> Location {
    var location = Location(coordinate: .at(latitude, longitude), time: time)
    change(&location)
    return location
  }
}

extension MonotonicTime {
  /// Returns the reading a number of seconds after the clock's origin.
  package static func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  /// Returns the reading a whole number of seconds after the clock's origin.
  package static func at(_ seconds: some BinaryInteger) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000)
  }
}

extension UTCTime {
  /// 12:00:00 on 21 November 2026.
  package static let noon = UTCTime(secondsSince1970: 1_795_262_400)

  /// Returns the time a number of seconds after `noon`.
  package static func noon(plus seconds: some BinaryInteger, nanosecond: UInt32 = 0) -> UTCTime {
    UTCTime(secondsSince1970: noon.secondsSince1970 + Int64(seconds), nanosecond: nanosecond)
  }
}
