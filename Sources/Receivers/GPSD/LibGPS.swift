// SPDX-License-Identifier: Apache-2.0

import CGPS
import Positioning

/// A connection to gpsd: the only Swift code that calls libgps.
///
/// Not sendable: use a connection on one thread only, since libgps has no locks.
struct LibGPS: ~Copyable {
  private let session: OpaquePointer
  /// The buffer of the last line: 16 KB, reused for every line.
  private let report: UnsafeMutablePointer<cgps_report>

  /// Takes ownership of a connected socket, even if the initializer throws.
  ///
  /// - Throws: ``GPSDConnectionError/library(_:)``.
  init(adopting socket: Int32) throws(GPSDConnectionError) {
    var message = [CChar](repeating: 0, count: Int(CGPS_TEXT_MAX))
    guard let session = cgps_gpsd_adopt(socket, &message, message.count) else {
      let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .library(String(decoding: bytes, as: UTF8.self))
    }
    self.session = session
    report = .allocate(capacity: 1)
    report.initialize(to: cgps_report())
  }

  deinit {
    report.deallocate()
    cgps_gpsd_close(session)
  }

  /// The socket, for poll(2).
  var descriptor: Int32 { cgps_gpsd_descriptor(session) }

  /// Requests reports of one device, or of all devices for `nil`.
  ///
  /// Returns false if the connection is lost.
  func watch(device: String?) -> Bool { cgps_gpsd_watch(session, device) == 0 }

  /// Requests the device list; returns false if the connection is lost.
  func requestDevices() -> Bool { cgps_gpsd_send(session, "?DEVICES;\r\n") == 0 }

  /// Requests the version; returns false if the connection is lost.
  func requestVersion() -> Bool { cgps_gpsd_send(session, "?VERSION;\r\n") == 0 }

  /// The result of reading a line.
  enum Line: Equatable {
    case report(GPSDReport)
    /// No complete line is available: wait with poll(2) before reading again.
    case nothing
    case lost
  }

  /// Reads the next complete line without waiting.
  func next() -> Line {
    switch cgps_gpsd_read(session, report) {
    case 1...: .report(GPSDReport(report))
    case 0: .nothing
    default: .lost
    }
  }
}

extension GPSDReport {
  fileprivate init(_ report: UnsafePointer<cgps_report>) {
    let device = Self.text(report, \.device)
    switch report.pointee.class {
    case CGPS_TPV: self = .position(device: device, FixReport(report))
    case CGPS_SKY: self = .sky(device: device, GPSDSky(report))
    case CGPS_ATT: self = GPSDHeading(report, device: device).map { .heading($0) } ?? .other
    case CGPS_DEVICE:
      self = Self.receivers(report).first.map { .device($0) } ?? .other
    case CGPS_DEVICES:
      self = .devices(Self.receivers(report), isComplete: report.pointee.is_complete)
    case CGPS_VERSION:
      self = .version(
        release: Self.text(report, \.text), protocolMajor: Int(report.pointee.protocol_major),
        protocolMinor: Int(report.pointee.protocol_minor), isFixcast: report.pointee.is_fixcast)
    case CGPS_ERROR: self = .error(Self.text(report, \.text))
    case CGPS_MALFORMED: self = .malformed(Self.text(report, \.text))
    default: self = .other
    }
  }

  private static func receivers(_ report: UnsafePointer<cgps_report>) -> [ReceiverInfo] {
    let count = min(max(0, Int(report.pointee.device_count)), Int(CGPS_DEVICES_MAX))
    guard let offset = MemoryLayout<cgps_report>.offset(of: \.devices) else { return [] }
    let first = (UnsafeRawPointer(report) + offset).assumingMemoryBound(to: cgps_device.self)
    return UnsafeBufferPointer(start: first, count: count).indices.compactMap { index in
      let device = first + index
      let name = text(device, \.path)
      guard !name.isEmpty else { return nil }
      var receiver = ReceiverInfo(name: name, isActive: device.pointee.is_active)
      receiver.driver = nonEmpty(text(device, \.driver))
      receiver.model = nonEmpty(text(device, \.subtype))
      receiver.baud = device.pointee.baud > 0 ? Int(device.pointee.baud) : nil
      return receiver
    }
  }

  private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// Returns the text of a fixed-size C array, which Swift imports as a tuple.
  private static func text<Holder, Tuple>(
    _ holder: UnsafePointer<Holder>, _ field: KeyPath<Holder, Tuple>
  ) -> String {
    guard let offset = MemoryLayout<Holder>.offset(of: field) else { return "" }
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(holder) + offset, count: MemoryLayout<Tuple>.size)
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

extension UTCTime {
  fileprivate init?(_ report: UnsafePointer<cgps_report>) {
    guard report.hasValue(CGPS_TIME) else { return nil }
    self.init(
      secondsSince1970: report.pointee.seconds, nanosecond: report.pointee.nanoseconds)
  }
}

// An extension of the pointer, so that the report is never copied.
extension UnsafePointer<cgps_report> {
  fileprivate func hasValue(_ part: Int) -> Bool {
    pointee.known & UInt32(truncatingIfNeeded: part) != 0
  }

  fileprivate func value(_ part: Int, _ field: KeyPath<cgps_report, Double>) -> Double? {
    hasValue(part) ? pointee[keyPath: field] : nil
  }

  fileprivate var dilution: Dilution {
    var dilution = Dilution()
    dilution.x = value(CGPS_XDOP, \.xdop)
    dilution.y = value(CGPS_YDOP, \.ydop)
    dilution.horizontal = value(CGPS_HDOP, \.hdop)
    dilution.vertical = value(CGPS_VDOP, \.vdop)
    dilution.position = value(CGPS_PDOP, \.pdop)
    dilution.time = value(CGPS_TDOP, \.tdop)
    return dilution
  }
}

extension FixReport {
  /// The report kind of every TPV.
  ///
  /// The assembler learns how many reports of this kind gpsd sends per epoch.
  static let gpsdKind = ReportKind(rawValue: 1)

  fileprivate init(_ report: UnsafePointer<cgps_report>) {
    self.init(kind: Self.gpsdKind)
    let time = UTCTime(report)
    timeOfDay = time?.timeOfDay
    date = time?.date
    mode = FixMode(rawValue: UInt8(clamping: report.pointee.mode))
    if report.hasValue(CGPS_POSITION) {
      coordinate = Coordinate(
        latitudeDegrees: report.pointee.latitude, longitudeDegrees: report.pointee.longitude)
    }
    // gpsd may report mode 2 or 3 without a valid position.
    hasSolution = (mode ?? .none) > .none && coordinate != nil
    altitudeMetersAboveSeaLevel = report.value(CGPS_ALTITUDE_MSL, \.altitude_msl)
    altitudeMetersAboveEllipsoid = report.value(CGPS_ALTITUDE_HAE, \.altitude_hae)
    geoidSeparationMeters = report.value(CGPS_GEOID_SEPARATION, \.geoid_separation)
    speedMetersPerSecond = report.value(CGPS_SPEED, \.speed)
    courseDegreesTrue = report.value(CGPS_TRACK, \.track)
    climbMetersPerSecond = report.value(CGPS_CLIMB, \.climb)
    magneticVariationDegrees = report.value(CGPS_MAGNETIC_VARIATION, \.magnetic_variation)
    // gpsd usually estimates eph and epv from dilutions, and does not report their origin.
    horizontalAccuracy = report.value(CGPS_EPH, \.eph).flatMap {
      Accuracy(meters: $0, confidencePercent: 95, basis: .dilution)
    }
    verticalAccuracy = report.value(CGPS_EPV, \.epv).flatMap {
      Accuracy(meters: $0, confidencePercent: 95, basis: .dilution)
    }
    // If the receiver sends no speed error, as in NMEA, gpsd derives it from the errors of two
    // positions.
    speedAccuracyMetersPerSecond = report.value(CGPS_EPS, \.eps).flatMap { $0 >= 0 ? $0 : nil }
    courseAccuracyDegrees = report.value(CGPS_EPD, \.epd).flatMap {
      (0...180).contains($0) ? $0 : nil
    }
    status = FixStatus(rawValue: UInt8(clamping: report.pointee.status))
    isSimulated = status == .simulated
    correctionAgeSeconds = report.value(CGPS_DGPS_AGE, \.dgps_age)
  }
}

extension GPSDHeading {
  /// Returns `nil` if the report has no heading, only other values such as the roll.
  fileprivate init?(_ report: UnsafePointer<cgps_report>, device: String) {
    self.init(
      device: device, degreesTrue: report.value(CGPS_HEADING, \.heading),
      degreesMagnetic: report.value(CGPS_MAGNETIC_HEADING, \.magnetic_heading),
      rollDegrees: report.value(CGPS_ROLL, \.roll),
      pitchDegrees: report.value(CGPS_PITCH, \.pitch))
    guard degreesTrue != nil || degreesMagnetic != nil else { return nil }
  }
}

extension GPSDSky {
  fileprivate init(_ report: UnsafePointer<cgps_report>) {
    time = UTCTime(report)
    dilution = report.dilution
    guard report.hasValue(CGPS_SATELLITES),
      let offset = MemoryLayout<cgps_report>.offset(of: \.satellites)
    else { return }
    let count = min(max(0, Int(report.pointee.satellite_count)), Int(CGPS_SATELLITES_MAX))
    let first = (UnsafeRawPointer(report) + offset).assumingMemoryBound(to: cgps_satellite.self)
    satellites = UnsafeBufferPointer(start: first, count: count).compactMap(Satellite.init)
  }
}

extension Satellite {
  fileprivate init?(_ satellite: cgps_satellite) {
    guard
      let id = SatelliteID(
        gpsdSystem: satellite.gnssid, number: satellite.svid, prn: satellite.prn)
    else { return nil }
    self.init(id: id, rawNumber: UInt16(clamping: satellite.prn))
    signal = id.system.signal(gpsd: satellite.sigid)
    func value(_ part: Int, _ value: Double) -> Double? {
      satellite.known & UInt32(truncatingIfNeeded: part) != 0 ? value : nil
    }
    elevationDegrees = value(CGPS_SATELLITE_ELEVATION, satellite.elevation)
    azimuthDegrees = value(CGPS_SATELLITE_AZIMUTH, satellite.azimuth)
    signalToNoiseDBHz = value(CGPS_SATELLITE_SIGNAL, satellite.signal)
    isUsed = satellite.used
  }
}
