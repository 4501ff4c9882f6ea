// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
  /// Writes a fix as a line with a gpsd `TPV` object.
  ///
  /// Errors are converted to 95 % confidence, as in gpsd.
  ///
  /// - Parameters:
  ///   - fix: The fix.
  ///   - now: The current time, for the age of the fix; `nil` to omit the age.
  ///   - isLast: Whether the fix is the last known position and not current.
  public mutating func appendTPV(
    _ fix: Fix, now: MonotonicTime? = nil, isLast: Bool = false
  ) {
    beginTPV(fix, now: now, isLast: isLast)
    endObject()
    endLine()
  }

  /// Writes a `TPV` object with the further fields that older clients of gpsd need.
  ///
  /// These fields repeat other fields in another form: `alt`, `epx`, `epy`, `sep` and `magtrack`.
  /// Writes the object without the end of the line, so that it can be an element of an array.
  package mutating func appendTPVForGPSDClients(_ fix: Fix, now: MonotonicTime? = nil) {
    beginTPV(fix, now: now, isLast: false)
    decimal(
      "alt", fix.altitudeMetersAboveSeaLevel ?? fix.altitudeMetersAboveEllipsoid, places: 4)
    let errors = DirectionalErrors(fix)
    decimal("epx", errors.eastMeters, places: 3)
    decimal("epy", errors.northMeters, places: 3)
    decimal("sep", errors.sphericalMeters, places: 3)
    decimal("magtrack", fix.courseDegreesMagnetic, places: 4)
    endObject()
  }

  private mutating func beginTPV(_ fix: Fix, now: MonotonicTime?, isLast: Bool) {
    beginObject()
    constant("class", "TPV")
    string("device", fix.source)
    // At most 866 bytes: 126 for the keys, 17 decimals of 35, 3 integers of 24, 4 Booleans of 9,
    // and a time of 37. With more than 1,024 bytes, `append` may allocate memory on the heap.
    append(atMost: 1000) { end in
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
      end.decimal("eps", fix.speedAccuracyMetersPerSecond, places: 3)
      end.decimal("epd", fix.courseAccuracyDegrees, places: 3)
      end.integer("sats", fix.satellitesUsed)
      end.decimal("hdop", fix.dilution.horizontal, places: 2)
      end.decimal("vdop", fix.dilution.vertical, places: 2)
      end.decimal("pdop", fix.dilution.position, places: 2)
      // gpsd omits the status if it is unknown or plain GPS.
      if let status = fix.status, status != .autonomous {
        end.integer("status", Int(status.rawValue))
      }
      end.decimal("age", now.flatMap { fix.ageSeconds(at: $0) }, places: 3)
      if isLast { end.boolean("last", true) }
      if fix.isSimulated { end.boolean("simulated", true) }
      if fix.isReplayed { end.boolean("replayed", true) }
      if fix.isDateCorrected { end.boolean("dateCorrected", true) }
    }
  }
}
