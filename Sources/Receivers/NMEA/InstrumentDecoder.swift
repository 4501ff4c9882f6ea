// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// Collects the weather that sentences state, and drops and counts implausible values.
///
/// A reading goes out with the next fix and has its time. Where no fix has come for two seconds, it
/// goes out at once without a time: instruments may be on a wire without a receiver. A reading has the
/// arrival of its oldest value.
struct InstrumentDecoder: Sendable {
  /// How long after a fix the next one is waited for.
  static let patienceNanoseconds: Int64 = 2_000_000_000

  /// Values that were refused, see ``NMEACounters/refusedMeasurements``.
  private(set) var refusedMeasurements: UInt64 = 0
  private var pending = InstrumentReading(source: nil)
  /// Whether a value waits for a fix.
  private(set) var hasPending = false
  /// Angle of the true wind from the bow, in degrees: a direction once the heading is known.
  private var windAngleDegrees: Double?
  /// When the last fix arrived.
  var lastFixAt: MonotonicTime?

  /// Takes the values that have waited longer than the patience, so that newer ones do not join them.
  ///
  /// - Parameter now: When the next sentence arrived; `nil` in a recording, where nothing is overdue.
  /// - Returns: The reading, without a time; `nil` where none is overdue.
  mutating func takeOverdue(at now: MonotonicTime?) -> InstrumentReading? {
    isOverdue(at: now) ? takePending() : nil
  }

  private func isOverdue(at now: MonotonicTime?) -> Bool {
    guard hasPending, let now, let arrival = pending.receivedAt else { return false }
    return now.nanoseconds &- arrival.nanoseconds >= Self.patienceNanoseconds
  }

  /// Takes a sentence.
  ///
  /// - Parameters:
  ///   - sentence: The sentence; one without weather is passed over.
  ///   - talker: The instrument that it comes from.
  ///   - receivedAt: When it arrived; `nil` in a recording.
  /// - Returns: The reading that goes out at once; `nil` where it waits for the next fix.
  mutating func take(
    _ sentence: borrowing Sentence, talker: Talker, receivedAt: MonotonicTime?
  ) -> InstrumentReading? {
    let arrival = hasPending ? pending.receivedAt : receivedAt
    switch copy sentence {
    case .mda(let mda): take(mda)
    case .mtw(let mtw): set(.waterTemperature, mtw.waterTemperatureDegreesCelsius)
    case .mwd(let mwd):
      setWind(
        mwd.directionDegreesTrue, mwd.speedMetersPerSecond ?? mwd.speedFromMetersMetersPerSecond)
    case .mwv(let mwv): take(mwv)
    case .xdr(let xdr): for measurement in xdr.measurements { take(measurement, of: talker) }
    default: return nil
    }
    pending.receivedAt = arrival
    guard let receivedAt else { return nil }
    if let lastFixAt, receivedAt.nanoseconds &- lastFixAt.nanoseconds < Self.patienceNanoseconds {
      return nil
    }
    return takePending()
  }

  /// Takes a fix, with which what has been collected goes out.
  ///
  /// - Parameter fix: The fix; its heading turns the angle of the wind into a direction. The time and
  ///   the heading of a fix that arrived too late are not those of the reading.
  /// - Returns: The reading; `nil` where nothing was collected.
  mutating func take(_ fix: Fix) -> InstrumentReading? {
    let isLate = isOverdue(at: fix.receivedAt)
    if !isLate, pending.windDirectionDegreesTrue == nil, let windAngleDegrees,
      let heading = fix.headingDegreesTrue
    {
      let sum = heading + windAngleDegrees
      pending.windDirectionDegreesTrue = sum >= 360 ? sum - 360 : sum
    }
    guard var reading = takePending() else { return nil }
    if !isLate { reading.time = fix.time }
    reading.isSimulated = fix.isSimulated
    return reading
  }

  private mutating func takePending() -> InstrumentReading? {
    windAngleDegrees = nil
    guard hasPending else { return nil }
    hasPending = false
    defer { pending = InstrumentReading(source: nil) }
    return pending
  }

  private mutating func take(_ mda: MDA) {
    set(.pressureUnstated, mda.pressureHectopascals)
    set(.airTemperature, mda.airTemperatureDegreesCelsius)
    set(.waterTemperature, mda.waterTemperatureDegreesCelsius)
    set(.humidity, mda.relativeHumidityPercent)
    set(.dewPoint, mda.dewPointDegreesCelsius)
    setWind(
      mda.windDirectionDegreesTrue,
      mda.windSpeedMetersPerSecond ?? mda.windSpeedFromMetersMetersPerSecond)
  }

  /// Replaces the pending wind: a speed and a direction of two sentences are not one wind.
  private mutating func setWind(_ directionDegreesTrue: Double?, _ speed: Double?) {
    let direction = accepted(directionDegreesTrue, .windDirection)
    let speed = accepted(speed, .windSpeed)
    guard direction != nil || speed != nil else { return }
    windAngleDegrees = nil
    pending.windDirectionDegreesTrue = direction
    pending.windSpeedMetersPerSecond = speed
    hasPending = true
  }

  /// The apparent wind (`R`) includes the motion of the boat, so it is not weather.
  private mutating func take(_ mwv: MWV) {
    guard mwv.reference == UInt8(ascii: "T") else { return }
    guard mwv.status == UInt8(ascii: "A") else {
      refusedMeasurements &+= 1
      return
    }
    guard let speed = accepted(mwv.speedMetersPerSecond, .windSpeed) else { return }
    // A wind that MDA or MWD states stays whole; an earlier MWV is replaced.
    let hasStatedWind =
      pending.windDirectionDegreesTrue != nil || pending.windSpeedMetersPerSecond != nil
    guard windAngleDegrees != nil || !hasStatedWind else { return }
    pending.windSpeedMetersPerSecond = speed
    windAngleDegrees = mwv.angleDegrees
    hasPending = true
  }

  private mutating func take(_ measurement: TransducerMeasurement, of talker: Talker) {
    guard let quantity = TransducerCatalog.quantity(of: measurement, talker: talker) else { return }
    guard let value = TransducerCatalog.value(of: measurement) else {
      refusedMeasurements &+= 1
      return
    }
    set(quantity, value)
  }

  private mutating func set(_ quantity: InstrumentQuantity, _ value: Double?) {
    guard let value = accepted(value, quantity) else { return }
    pending[keyPath: quantity.field] = value
    hasPending = true
  }

  /// The value; `nil` where it is missing or implausible, and the latter is counted.
  private mutating func accepted(_ value: Double?, _ quantity: InstrumentQuantity) -> Double? {
    guard let value else { return nil }
    guard quantity.range.contains(value) else {
      refusedMeasurements &+= 1
      return nil
    }
    return value
  }
}
