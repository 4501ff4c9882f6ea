// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
  /// Writes a sky as a line with a gpsd `SKY` object.
  ///
  /// - Parameters:
  ///   - sky: The sky.
  ///   - device: The name of the receiver; `nil` omits the field.
  public mutating func appendSKY(_ sky: SkyView, device: String? = nil) {
    appendSKYObject(sky, device: device)
    endLine()
  }

  /// Writes a `SKY` object without the end of the line, as an element of an array.
  package mutating func appendSKYObject(_ sky: SkyView, device: String?) {
    beginObject()
    constant("class", "SKY")
    string("device", device)
    time("time", sky.time)
    // There are six fields of at most 4 + 35 bytes.
    append(atMost: 240) { end in
      end.decimal("xdop", sky.dilution.x, places: 2)
      end.decimal("ydop", sky.dilution.y, places: 2)
      end.decimal("vdop", sky.dilution.vertical, places: 2)
      end.decimal("tdop", sky.dilution.time, places: 2)
      end.decimal("hdop", sky.dilution.horizontal, places: 2)
      end.decimal("pdop", sky.dilution.position, places: 2)
    }
    if sky.isSimulated { boolean("simulated", true) }
    if sky.isReplayed { boolean("replayed", true) }
    appendSatellites(sky.satellites)
    endObject()
  }

  private mutating func appendSatellites(_ satellites: [Satellite]) {
    var inView = SatelliteSet()
    var used = SatelliteSet()
    for satellite in satellites {
      inView.insert(satellite.id)
      if satellite.isUsed { used.insert(satellite.id) }
    }
    integer("nSat", inView.count)
    integer("uSat", used.count)
    beginArray("satellites")
    append(atMost: satellites.count * 222) { end in
      for satellite in satellites { Self.write(satellite, at: &end) }
    }
    endArray()
  }

  /// Writes a satellite: at most 222 bytes.
  @inline(__always)
  private static func write(_ satellite: Satellite, at end: inout UnsafeMutablePointer<UInt8>) {
    end.put("{\"PRN\":")
    end.put(integer: satellite.id.gpsdPRN)
    end.put("\"gnssid\":")
    end.put(.zero &+ satellite.id.system.rawValue)
    end.put(",\"svid\":")
    end.put(integer: Int(satellite.id.number))
    end.integer("sigid", satellite.signal.map(Int.init))
    end.decimal("el", satellite.elevationDegrees, places: 1)
    end.decimal("az", satellite.azimuthDegrees, places: 1)
    end.decimal("ss", satellite.signalToNoiseDBHz, places: 1)
    // With two calls, the length of each text is a constant.
    if satellite.isUsed { end.put("\"used\":true},") } else { end.put("\"used\":false},") }
  }
}

extension SatelliteID {
  /// The number of the satellite across all systems (`PRN` in gpsd_json(5)).
  @inline(__always)
  var gpsdPRN: Int {
    let number = Int(number)
    return switch system {
    case .gps: number
    case .sbas: number >= 120 ? number - 87 : number
    case .galileo: number + 300
    case .beidou: number + 400
    case .imes: number + 172
    case .qzss: number + 192
    case .glonass: number + 64
    case .navic: number + 500
    }
  }
}
