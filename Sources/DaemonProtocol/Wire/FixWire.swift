// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// A decoded `TPV` object.
struct FixWire: Decodable {
  var device: String?
  var mode: UInt8?
  var time: String?
  var lat: Double?
  var lon: Double?
  var altHAE: Double?
  var altMSL: Double?
  var geoidSep: Double?
  var speed: Double?
  var track: Double?
  var climb: Double?
  var magvar: Double?
  var eph: Double?
  var epv: Double?
  var eps: Double?
  var epd: Double?
  var sats: Int?
  var hdop: Double?
  var vdop: Double?
  var pdop: Double?
  var status: UInt8?
  var age: Double?
  var simulated: Bool?
  var replayed: Bool?
  var dateCorrected: Bool?

  /// Returns the fix, without a position if the coordinate is missing or invalid.
  func fix(now: MonotonicTime?) -> Fix {
    let coordinate = lat.flatMap { latitude in
      lon.flatMap { Coordinate(latitudeDegrees: latitude, longitudeDegrees: $0) }
    }
    let reportedMode = mode.flatMap(FixMode.init) ?? .none
    var fix = Fix(mode: coordinate == nil ? .none : reportedMode)
    fix.source = device
    fix.time = time.flatMap(WireTime.read)
    fix.satellitesUsed = sats
    fix.isSimulated = simulated ?? false
    fix.isReplayed = replayed ?? false
    fix.isDateCorrected = dateCorrected ?? false
    fix.receivedAt = Self.receptionTime(age, now)
    if fix.isReplayed, fix.receivedAt != nil {
      // The age counts from the recorded time, but the fix has arrived now.
      (fix.recordedAt, fix.receivedAt) = (fix.receivedAt, now)
    }
    fix.dilution.horizontal = hdop
    fix.dilution.vertical = vdop
    fix.dilution.position = pdop
    guard fix.mode > .none else { return fix }
    fix.coordinate = coordinate
    fix.altitudeMetersAboveEllipsoid = altHAE
    fix.altitudeMetersAboveSeaLevel = altMSL
    fix.geoidSeparationMeters = geoidSep
    fix.speedMetersPerSecond = speed
    fix.courseDegreesTrue = track
    fix.climbMetersPerSecond = climb
    fix.magneticVariationDegrees = magvar
    fix.horizontalAccuracy = accuracy(eph)
    fix.verticalAccuracy = accuracy(epv)
    fix.speedAccuracyMetersPerSecond = eps
    fix.courseAccuracyDegrees = epd
    fix.status = status.map { FixStatus(rawValue: $0) } ?? .autonomous
    return fix
  }

  private func accuracy(_ meters: Double?) -> Accuracy? {
    meters.flatMap { Accuracy(meters: $0, confidencePercent: 95, basis: .receiver) }
  }

  /// Returns the time of reception by this process's clock; `nil` if `age` or `now` is `nil`.
  ///
  /// Locations with reduced accuracy have no age: their time is truncated on purpose, and an age
  /// would reveal the exact time.
  static func receptionTime(_ age: Double?, _ now: MonotonicTime?) -> MonotonicTime? {
    guard let now, let age, age.isFinite, abs(age) < 1e9 else { return nil }
    return now.advanced(byNanoseconds: -Int64(age * 1e9))
  }
}

/// A decoded `DEVICE` object.
struct DeviceWire: Decodable {
  /// The value of gpsd's `activated`: a time, or 0 for a known receiver that is not in use.
  struct Activated: Decodable {
    var isActive: Bool

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      isActive = (try? value.decode(String.self)) != nil
    }
  }

  var path: String?
  var driver: String?
  var model: String?
  var bps: Int?
  var activated: Activated?

  var receiver: ReceiverInfo {
    var receiver = ReceiverInfo(name: path ?? "", isActive: activated?.isActive ?? true)
    receiver.driver = driver
    receiver.model = model
    receiver.baud = bps
    return receiver
  }
}
