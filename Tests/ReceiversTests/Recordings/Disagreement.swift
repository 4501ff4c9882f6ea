// SPDX-License-Identifier: Apache-2.0

/// A field that is compared with gpsd's decoding.
enum ComparedField: String, CaseIterable, Sendable {
  case epoch, date, latitude, longitude, altitude, ellipsoidalHeight, speed, course, mode, status
  case satellites
}

/// A difference between a fix and gpsd's report of the same epoch.
struct Disagreement: CustomStringConvertible, Sendable {
  var field: ComparedField
  /// gpsd's time; `nil` for a difference over the whole recording.
  var time: String?
  var text: String

  var description: String { "\(time.map { "\($0) " } ?? "")\(field.rawValue): \(text)" }
}
