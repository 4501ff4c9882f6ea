// SPDX-License-Identifier: Apache-2.0

import NMEA
import Positioning

/// Collects weather measurements from sentences; drops and counts implausible values.
///
/// A reading is delivered with the next fix and has the time of that fix. If no fix arrived in the
/// last two seconds, the reading is delivered at once without a time: instruments may be connected
/// without a receiver. The arrival time of a reading is the arrival time of its oldest value.
struct InstrumentDecoder: Sendable {
  /// The time after a fix during which values wait for the next fix.
  static let timeoutNanoseconds: Int64 = 2_000_000_000

  /// The number of dropped values; see ``NMEACounters/droppedMeasurements``.
  private(set) var droppedMeasurements: UInt64 = 0
  private var pending = InstrumentReading(source: nil)
  /// Whether values are waiting for a fix.
  private(set) var hasPending = false
  /// The pending angle of the true wind from the bow, in degrees.
  ///
  /// The heading of the next fix converts the angle to a direction.
  private var windAngleDegrees: Double?
  /// The arrival time of the last fix.
  var lastFixAt: MonotonicTime?

  /// Removes and returns overdue values, so that they are not combined with newer values.
  ///
  /// - Parameter now: The arrival time of the next sentence; `nil` in a recording, where no value
  ///   is overdue.
  /// - Returns: The reading, without a time; `nil` if no value is overdue.
  mutating func takeOverdue(at now: MonotonicTime?) -> InstrumentReading? {
    isOverdue(at: now) ? takePending() : nil
  }

  private func isOverdue(at now: MonotonicTime?) -> Bool {
    guard hasPending, let now, let arrival = pending.receivedAt else { return false }
    return now.nanoseconds &- arrival.nanoseconds >= Self.timeoutNanoseconds
  }

  /// Handles a sentence; ignores sentences without weather.
  ///
  /// - Parameters:
  ///   - sentence: The sentence.
  ///   - talker: The talker of the sentence.
  ///   - receivedAt: The arrival time of the sentence; `nil` in a recording.
  /// - Returns: The reading to deliver at once; `nil` if values wait for the next fix, or if the
  ///   sentence was ignored.
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
    if let lastFixAt, receivedAt.nanoseconds &- lastFixAt.nanoseconds < Self.timeoutNanoseconds {
      return nil
    }
    return takePending()
  }

  /// Handles a fix: returns the collected values with the time of the fix.
  ///
  /// The heading of the fix converts the angle of the wind to a direction. A fix that arrives too
  /// late contributes neither time nor heading.
  ///
  /// - Returns: The reading; `nil` if no values were collected.
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

  /// Replaces the pending wind, so that speed and direction are always from one sentence.
  private mutating func setWind(_ directionDegreesTrue: Double?, _ speed: Double?) {
    let direction = accepted(directionDegreesTrue, .windDirection)
    let speed = accepted(speed, .windSpeed)
    guard direction != nil || speed != nil else { return }
    windAngleDegrees = nil
    pending.windDirectionDegreesTrue = direction
    pending.windSpeedMetersPerSecond = speed
    hasPending = true
  }

  /// Handles an MWV.
  ///
  /// Ignores apparent wind (`R`), which includes the motion of the boat.
  private mutating func take(_ mwv: MWV) {
    guard mwv.reference == UInt8(ascii: "T") else { return }
    guard mwv.status == UInt8(ascii: "A") else {
      droppedMeasurements &+= 1
      return
    }
    guard let speed = accepted(mwv.speedMetersPerSecond, .windSpeed) else { return }
    // A pending wind from MDA or MWD is kept. A pending wind from an earlier MWV is replaced.
    let hasPendingWind =
      pending.windDirectionDegreesTrue != nil || pending.windSpeedMetersPerSecond != nil
    guard windAngleDegrees != nil || !hasPendingWind else { return }
    pending.windSpeedMetersPerSecond = speed
    windAngleDegrees = mwv.angleDegrees
    hasPending = true
  }

  private mutating func take(_ measurement: TransducerMeasurement, of talker: Talker) {
    guard let quantity = TransducerCatalog.quantity(of: measurement, talker: talker) else { return }
    guard let value = TransducerCatalog.value(of: measurement) else {
      droppedMeasurements &+= 1
      return
    }
    set(quantity, value)
  }

  private mutating func set(_ quantity: InstrumentQuantity, _ value: Double?) {
    guard let value = accepted(value, quantity) else { return }
    pending[keyPath: quantity.field] = value
    hasPending = true
  }

  /// Returns the value, or `nil` if it is missing or implausible.
  ///
  /// Counts implausible values.
  private mutating func accepted(_ value: Double?, _ quantity: InstrumentQuantity) -> Double? {
    guard let value else { return nil }
    guard quantity.range.contains(value) else {
      droppedMeasurements &+= 1
      return nil
    }
    return value
  }
}
