// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
  /// Writes a fix as a line with a gpsd `TPV` object.
  ///
  /// Errors are converted to 95 % confidence, as in gpsd.
  ///
  /// - Parameters:
  ///   - fix: The fix.
  ///   - now: The current time, for the age of the fix; `nil` for a recording, which has no age.
  public mutating func appendTPV(_ fix: Fix, now: MonotonicTime? = nil) {
    beginObject()
    constant("class", "TPV")
    string("device", fix.source)
    // There are twenty-two fields of at most 13 + 37 bytes.
    append(atMost: 1100) { end in
      end.integer("mode", Int(fix.mode.rawValue))
      end.time("time", fix.time)
      end.decimal("lat", fix.coordinate?.latitudeDegrees, places: 9, trims: false)
      end.decimal("lon", fix.coordinate?.longitudeDegrees, places: 9, trims: false)
      end.decimal("altHAE", fix.altitudeMetersAboveEllipsoid, places: 4)
      end.decimal("altMSL", fix.altitudeMetersAboveSeaLevel, places: 4)
      end.decimal("geoidSep", fix.geoidSeparationMeters, places: 4)
      // The speed needs four decimal places: receivers send thousandths of a knot, which are half a
      // millimetre per second.
      end.decimal("speed", fix.speedMetersPerSecond, places: 4)
      end.decimal("track", fix.courseDegreesTrue, places: 4)
      end.decimal("climb", fix.climbMetersPerSecond, places: 3)
      end.decimal("magvar", fix.magneticVariationDegrees, places: 2)
      end.decimal(
        "eph", fix.horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95), places: 3)
      end.decimal("epv", fix.verticalAccuracy?.verticalMeters(atConfidencePercent: 95), places: 3)
      end.integer("sats", fix.satellitesUsed)
      end.decimal("hdop", fix.dilution.horizontal, places: 2)
      end.decimal("vdop", fix.dilution.vertical, places: 2)
      end.decimal("pdop", fix.dilution.position, places: 2)
      // gpsd omits the status if it is unknown or plain GPS.
      if let status = fix.status, status != .autonomous {
        end.integer("status", Int(status.rawValue))
      }
      if let now, let receivedAt = fix.receivedAt {
        end.decimal("age", now.seconds(since: receivedAt), places: 3)
      }
      if fix.isSimulated { end.boolean("simulated", true) }
      if fix.isDateCorrected { end.boolean("dateCorrected", true) }
    }
    endObject()
    endLine()
  }
}
