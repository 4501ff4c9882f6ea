// SPDX-License-Identifier: Apache-2.0

/// The watch settings of a gpsd client: the reports that the client receives.
struct GPSDWatch: Equatable, Sendable {
  var isEnabled = false
  var json = false
  var nmea = false
  /// The raw mode: 1 and 2 both request the NMEA sentences of the receiver.
  var raw = 0
  var scaled = false
  var timing = false
  var split24 = false
  var pps = false
  /// The only device to report; `nil` for all devices.
  var device: String?

  /// Applies a change.
  ///
  /// As in gpsd, some settings return to their default if the change does not contain them.
  mutating func apply(_ change: GPSDWatchChange) {
    isEnabled = change.enable?.value ?? true
    json = change.json?.value ?? json
    nmea = change.nmea?.value ?? nmea
    raw = change.raw?.value ?? raw
    scaled = change.scaled?.value ?? false
    timing = change.timing?.value ?? false
    split24 = change.split24?.value ?? false
    pps = change.pps?.value ?? false
    device = change.device.flatMap { $0.isEmpty ? nil : GPSDObjects.path($0) }
  }
}

/// The argument of `?WATCH`; unknown fields are ignored.
struct GPSDWatchChange: Equatable, Sendable, Decodable {
  /// A Boolean that may also be written as a number, as gpsd accepts it.
  struct Flag: Equatable, Sendable, Decodable {
    var value: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        value = number != 0
      } else {
        value = try container.decode(Bool.self)
      }
    }
  }

  /// A whole number; a fraction is removed, and a number above 1,000 becomes 0.
  struct Level: Equatable, Sendable, Decodable {
    var value: Int

    init(from decoder: any Decoder) throws {
      let number = try decoder.singleValueContainer().decode(Double.self)
      value = abs(number) <= 1000 ? Int(number) : 0
    }
  }

  /// The class of the object, which must be `WATCH` if it is present.
  var `class`: String?
  var enable: Flag?
  var json: Flag?
  var nmea: Flag?
  var raw: Level?
  var scaled: Flag?
  var timing: Flag?
  var split24: Flag?
  var pps: Flag?
  var device: String?
}
