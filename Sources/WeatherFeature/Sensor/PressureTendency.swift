// SPDX-License-Identifier: Apache-2.0

public import Positioning

/// The change of the air pressure over three hours, while the board stands still.
///
/// Eight metres of height are a hectopascal, as much as an hour of weather: on the move there is no
/// tendency. Standing still is what fixes say, never what is assumed: without them there is none
/// either. Events in, answer out.
///
/// Its coded form holds readings of the monotonic clock, which mean nothing after the next boot.
public struct PressureTendency: Codable, Equatable, Sendable {
  /// How far from where it came to rest the board may be, in metres: what an anchor chain and a
  /// receiver allow for.
  public static let reachMeters = 150.0
  /// The longest time without a fix in which the board still counts as standing, in seconds.
  public static let longestGapSeconds = 600.0
  /// The time that a tendency is of, in seconds: three hours.
  public static let spanSeconds = 10_800.0
  /// How far from three hours the measurements may be apart and stand for them, in seconds.
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

    var seen: MonotonicTime { MonotonicTime(nanoseconds: seenNanoseconds) }
  }

  /// Where the board stands, and when that was last heard.
  private var anchor: Anchor?
  /// The sensor that measured the samples.
  private var source: String?
  /// One each five minutes, the earliest first: 39 at most.
  private var samples: [Sample] = []
  private var newest: Sample?

  /// Makes a tendency of which nothing is known.
  public init() {}

  /// The number of measurements kept.
  var sampleCount: Int { samples.count }

  /// Takes note of where the board is.
  ///
  /// - Parameters:
  ///   - coordinate: Where.
  ///   - now: The present reading of the clock.
  public mutating func take(_ coordinate: Coordinate, now: MonotonicTime) {
    if let anchor, isStanding(now),
      anchor.coordinate.distanceMeters(to: coordinate) <= Self.reachMeters
    {
      self.anchor?.seenNanoseconds = now.nanoseconds
    } else {
      anchor = Anchor(coordinate: coordinate, seenNanoseconds: now.nanoseconds)
      samples = []
      newest = nil
    }
  }

  /// Takes note of a measurement.
  ///
  /// Two sensors differ by more than an hour of weather: a measurement by another one starts anew.
  ///
  /// - Parameters:
  ///   - hectopascals: The pressure at the sensor, not reduced.
  ///   - source: The sensor that measured it; `nil` for the board's own.
  ///   - measuredAt: When it was measured; `nil` for now.
  ///   - now: The present reading of the clock.
  public mutating func take(
    stationHectopascals hectopascals: Double, from source: String? = nil,
    measuredAt: MonotonicTime? = nil, now: MonotonicTime
  ) {
    let time = measuredAt ?? now
    guard hectopascals.isFinite, isStanding(now), newest.map({ $0.time < time }) ?? true else {
      return
    }
    if source != self.source { (self.source, samples) = (source, []) }
    let sample = Sample(nanoseconds: time.nanoseconds, hectopascals: hectopascals)
    newest = sample
    if samples.last.map({ time.seconds(since: $0.time) >= Self.intervalSeconds }) ?? true {
      samples.append(sample)
    }
    let oldest = Self.spanSeconds + Self.toleranceSeconds
    samples.removeAll { now.seconds(since: $0.time) > oldest }
  }

  /// The change in hectopascals over three hours, positive where the pressure rises.
  ///
  /// - Parameter now: The present reading of the clock.
  /// - Returns: The change; `nil` where the board has moved, where nothing says that it has not,
  ///   and until it has been measured for three hours.
  public func hectopascals(now: MonotonicTime) -> Double? {
    guard isStanding(now), let newest,
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

  private func isStanding(_ now: MonotonicTime) -> Bool {
    guard let anchor else { return false }
    let gap = now.seconds(since: anchor.seen)
    return gap >= 0 && gap <= Self.longestGapSeconds
  }
}
