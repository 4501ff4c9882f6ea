// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The objects of the gpsd protocol as lines, in the form that the parser of libgps accepts.
///
/// libgps requires `"class"` without a space after the colon, and discards an object of which a
/// value is larger than a fixed buffer. The limits here are those of libgps 3.22, the smallest.
enum GPSDObjects {
  /// The maximum size of a line, including its end (below `GPS_JSON_RESPONSE_MAX`).
  static let maxLineBytes = 10_239
  /// The maximum number of entries in the satellite list (`MAXCHANNELS`).
  static let maxSatellites = 140
  /// The maximum number of listed devices (`MAXUSERDEVS`).
  static let maxDevices = 4
  /// The maximum length of a device path (`GPS_PATH_MAX` without the terminating zero).
  static let maxPathBytes = 127
  /// The maximum length of an error message.
  static let maxMessageBytes = 255

  static func version(_ version: GPSDVersion) -> [UInt8] {
    line {
      $0.beginObject()
      $0.constant("class", "VERSION")
      $0.string("release", version.release)
      $0.string("rev", version.revision)
      $0.integer("proto_major", version.protocolMajor)
      $0.integer("proto_minor", version.protocolMinor)
      $0.endObject()
    }
  }

  static func error(_ message: String) -> [UInt8] {
    line {
      $0.beginObject()
      $0.constant("class", "ERROR")
      $0.string("message", message.prefix(utf8Count: maxMessageBytes))
      $0.endObject()
    }
  }

  // MARK: Devices

  /// Lists the first ``maxDevices`` devices.
  static func devices(_ devices: [GPSDDevice]) -> [UInt8] {
    line {
      $0.beginObject()
      $0.constant("class", "DEVICES")
      $0.beginArray("devices")
      for device in devices.prefix(maxDevices) { append(device, to: &$0) }
      $0.endArray()
      $0.endObject()
    }
  }

  static func device(_ device: GPSDDevice) -> [UInt8] { line { append(device, to: &$0) } }

  private static func append(_ device: GPSDDevice, to line: inout JSONLine) {
    let receiver = device.receiver
    line.beginObject()
    line.constant("class", "DEVICE")
    line.string("path", path(receiver.name))
    line.string("driver", receiver.driver?.prefix(utf8Count: 63))
    line.string("subtype", receiver.model?.prefix(utf8Count: 127))
    if receiver.isActive {
      line.time("activated", device.activated)
      // The receiver is a satellite receiver that sends packets of a known type.
      line.integer("flags", 1)
    } else {
      line.integer("activated", 0)
    }
    line.integer("native", 0)
    if let baud = receiver.baud {
      line.integer("bps", baud)
      line.constant("parity", "N")
      line.integer("stopbits", 1)
    }
    line.endObject()
  }

  /// The name of a receiver, limited to ``maxPathBytes``.
  static func path(_ name: String) -> String { name.prefix(utf8Count: maxPathBytes) }

  // MARK: Settings

  static func watch(_ watch: GPSDWatch) -> [UInt8] {
    line {
      $0.beginObject()
      $0.constant("class", "WATCH")
      $0.boolean("enable", watch.isEnabled)
      $0.boolean("json", watch.json)
      $0.boolean("nmea", watch.nmea)
      $0.integer("raw", watch.raw)
      $0.boolean("scaled", watch.scaled)
      $0.boolean("timing", watch.timing)
      $0.boolean("split24", watch.split24)
      $0.boolean("pps", watch.pps)
      $0.string("device", watch.device)
      $0.endObject()
    }
  }

  // MARK: Reports

  /// Writes a fix, and then its heading if known.
  ///
  /// The fix is first, because gps3 loses all lines that arrive together with an earlier line.
  static func report(_ fix: Fix, now: MonotonicTime?) -> [UInt8] {
    let fix = fix.withoutInvalidMode
    let heading = Heading(fix).map { heading in line { $0.appendATTObject(heading) } }
    return line { $0.appendTPVForGPSDClients(fix, now: now) } + (heading ?? [])
  }

  static func report(_ sky: SkyView) -> [UInt8] {
    line { appendSKY(sky, device: sky.source, to: &$0, maxBytes: maxLineBytes) }
  }

  /// Writes the current fix and sky.
  ///
  /// gpsd-py3 fails if the answer has no fix or no sky, so both are written even if unknown.
  static func poll(_ view: GPSDView, isEnabled: Bool) -> [UInt8] {
    line {
      $0.beginObject()
      $0.constant("class", "POLL")
      $0.time("time", view.now)
      let activeCount = view.devices.count(where: \.receiver.isActive)
      $0.integer("active", isEnabled ? activeCount : 0)
      let device = view.devices.first { $0.receiver.isActive }?.receiver.name
      $0.beginArray("tpv")
      if isEnabled {
        var fix = view.fix?.withoutInvalidMode ?? Fix(mode: .none)
        fix.source = (fix.source ?? device).map(path)
        $0.appendTPVForGPSDClients(fix, now: view.monotonicNow)
      }
      $0.endArray()
      $0.beginArray("gst")
      $0.endArray()
      $0.beginArray("sky")
      if isEnabled {
        if let sky = view.sky {
          // The limit of a line includes the fix and the rest of the answer.
          let maxBytes = maxLineBytes - $0.bytes.count - 8
          appendSKY(sky, device: sky.source ?? device, to: &$0, maxBytes: maxBytes)
        } else {
          // A count of 0 would state that no satellite is in view.
          $0.beginObject()
          $0.constant("class", "SKY")
          $0.string("device", device.map(path))
          $0.endObject()
        }
      }
      $0.endArray()
      $0.endObject()
    }
  }

  /// Appends a sky without the satellites that exceed a limit.
  private static func appendSKY(
    _ sky: SkyView, device: String?, to line: inout JSONLine, maxBytes: Int
  ) {
    var sky = sky
    var count = maxSatellites
    while true {
      sky.satellites = sky.satellites.preferringUsed(count)
      var trial = JSONLine()
      trial.appendSKYObject(sky, device: device.map(path))
      // One byte less for the comma, and two bytes more for the end of the line.
      if trial.bytes.count + 1 <= maxBytes || sky.satellites.isEmpty { break }
      count = sky.satellites.count * maxBytes / (trial.bytes.count + 2)
    }
    line.appendSKYObject(sky, device: device.map(path))
  }

  private static func line(_ write: (inout JSONLine) -> Void) -> [UInt8] {
    var line = JSONLine(reservingCapacity: 512)
    write(&line)
    line.endLine()
    var bytes = line.bytes
    bytes[bytes.count - 1] = UInt8(ascii: "\r")
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}

extension Fix {
  /// The fix with a device name that libgps accepts, and with a mode above 1 only with a position.
  ///
  /// gpxlogger writes a track point `lat="nan"` for a mode above 1 without coordinates.
  fileprivate var withoutInvalidMode: Fix {
    var fix = self
    fix.source = source.map(GPSDObjects.path)
    if coordinate == nil { fix.mode = .none }
    return fix
  }
}

extension [Satellite] {
  /// The first `count` entries in order, but used satellites before unused ones.
  fileprivate func preferringUsed(_ count: Int) -> [Satellite] {
    guard self.count > count else { return self }
    var unusedCount = Swift.max(0, count - self.count(where: \.isUsed))
    let kept = filter { satellite in
      if satellite.isUsed { return true }
      unusedCount -= 1
      return unusedCount >= 0
    }
    return Array(kept.prefix(count))
  }
}

extension String {
  /// The longest beginning of at most `utf8Count` bytes.
  fileprivate func prefix(utf8Count: Int) -> String {
    guard utf8.count > utf8Count else { return self }
    var text = ""
    for character in unicodeScalars {
      guard text.utf8.count + character.utf8.count <= utf8Count else { break }
      text.unicodeScalars.append(character)
    }
    return text
  }
}
