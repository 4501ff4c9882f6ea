// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The change of the air pressure over three hours at a stationary board.
///
/// A height difference of eight metres changes the pressure by a hectopascal, as much as the
/// weather does in an hour. A moving board therefore has no tendency. Fixes must confirm that the
/// board is stationary.
///
/// The encoded form contains monotonic times, which are not valid after the next boot.
public struct PressureTendency: Codable, Equatable, Sendable {
  /// The maximum distance in metres from the position at which the board became stationary.
  ///
  /// The distance allows for the length of an anchor chain and the error of a receiver.
  public static let reachMeters = 150.0
  /// The maximum time in seconds without a fix during which the board is treated as stationary.
  public static let longestGapSeconds = 600.0
  /// The period of the tendency in seconds: three hours.
  public static let spanSeconds = 10_800.0
  /// The maximum deviation of the time between two measurements from three hours, in seconds.
  static let toleranceSeconds = 600.0
  private static let intervalSeconds = 300.0

  private struct Sample: Codable, Equatable {
    let nanoseconds: Int64
    let hectopascals: Double

    var time: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }
  }

  private struct Anchor: Codable, Equatable {
    let coordinate: Coordinate
    var seenNanoseconds: Int64

    var lastFix: MonotonicTime { MonotonicTime(nanoseconds: seenNanoseconds) }
  }

  /// The position at which the board became stationary, and the time of the last fix nearby.
  private var anchor: Anchor?
  /// The sensor that measured the samples.
  private var source: String?
  /// One sample every five minutes, the earliest first, at most 39.
  private var samples: [Sample] = []
  private var newest: Sample?

  /// Creates a tendency without measurements.
  public init() {}

  /// The number of stored samples.
  var sampleCount: Int { samples.count }

  /// Adds a fix.
  ///
  /// Discards all samples if the board has moved.
  ///
  /// - Parameters:
  ///   - coordinate: The location of the board.
  ///   - now: The current time.
  public mutating func take(_ coordinate: Coordinate, now: MonotonicTime) {
    if let anchor, isStationary(now),
      anchor.coordinate.distanceMeters(to: coordinate) <= Self.reachMeters
    {
      self.anchor?.seenNanoseconds = now.nanoseconds
    } else {
      anchor = Anchor(coordinate: coordinate, seenNanoseconds: now.nanoseconds)
      samples = []
      newest = nil
    }
  }

  /// Adds a measurement.
  ///
  /// A measurement of another sensor discards all samples, since the difference between two sensors
  /// exceeds the change of the pressure in an hour.
  ///
  /// - Parameters:
  ///   - hectopascals: The pressure at the sensor, not reduced to sea level.
  ///   - source: The name of the sensor, or `nil` for a sensor of the board.
  ///   - measuredAt: The time of the measurement, or `nil` for `now`.
  ///   - now: The current time.
  public mutating func take(
    stationHectopascals hectopascals: Double, from source: String? = nil,
    measuredAt: MonotonicTime? = nil, now: MonotonicTime
  ) {
    let time = measuredAt ?? now
    guard hectopascals.isFinite, isStationary(now), newest.map({ $0.time < time }) ?? true else {
      return
    }
    if source != self.source { (self.source, samples) = (source, []) }
    let sample = Sample(nanoseconds: time.nanoseconds, hectopascals: hectopascals)
    newest = sample
    if samples.last.map({ time.seconds(since: $0.time) >= Self.intervalSeconds }) ?? true {
      samples.append(sample)
    }
    let maxAge = Self.spanSeconds + Self.toleranceSeconds
    samples.removeAll { now.seconds(since: $0.time) > maxAge }
  }

  /// Returns the change over three hours in hectopascals, positive if the pressure rises.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The change, or `nil` if the board has moved, if there are no recent fixes, or if
  ///   the pressure has been measured for less than three hours.
  public func hectopascals(now: MonotonicTime) -> Double? {
    guard isStationary(now), let newest,
      now.seconds(since: newest.time) <= Self.toleranceSeconds
    else { return nil }
    let candidates = samples.map { (sample: $0, span: newest.time.seconds(since: $0.time)) }
      .filter { abs($0.span - Self.spanSeconds) <= Self.toleranceSeconds }
    guard
      let base = candidates.min(by: {
        abs($0.span - Self.spanSeconds) < abs($1.span - Self.spanSeconds)
      })
    else { return nil }
    return (newest.hectopascals - base.sample.hectopascals) * Self.spanSeconds / base.span
  }

  private func isStationary(_ now: MonotonicTime) -> Bool {
    guard let anchor else { return false }
    let gap = now.seconds(since: anchor.lastFix)
    return gap >= 0 && gap <= Self.longestGapSeconds
  }
}
