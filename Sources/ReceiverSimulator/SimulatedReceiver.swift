// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import Receivers
internal import SystemSupport

/// A simulated receiver that moves along a route and sends NMEA 4.11 sentences.
///
/// This is a value type without a clock: each call of ``nextEpoch()`` returns the next epoch. Equal
/// configurations produce the same bytes on every machine. Every whole second begins with a TXT
/// sentence that marks the stream as simulated.
package struct SimulatedReceiver: Sendable {
  /// The parameters of a simulation.
  package struct Configuration: Equatable, Sendable {
    /// The route.
    package var route: SimulatedRoute = .builtIn
    /// Speed on straight legs in metres per second, 0 to 515.
    package var speedMetersPerSecond: Double = 10
    /// Epochs per second, 1 to 25.
    package var rateHertz: Int = 1
    /// The time of the first epoch; its fraction of a second is dropped.
    package var start: UTCTime
    /// The random seed for noise and sky.
    package var seed: UInt64 = 1
    /// The sentences to send.
    package var sentences = Set(SimulatedSentence.allCases)
    /// Height in metres of the geoid above the ellipsoid, the same for the whole route.
    package var geoidSeparationMeters: Double = 46
    /// Standard deviation of the range error of a satellite in metres; 0 for exact positions.
    package var rangeErrorMeters: Double = 1.2

    /// Makes the default configuration.
    package init(start: UTCTime) { self.start = start }
  }

  /// The text of the TXT sentence that marks the stream as simulated.
  package static let announcement = "FIXCAST SIMULATED RECEIVER"

  /// The parameters of this simulation.
  package let configuration: Configuration

  let rate: Int
  private let drive: RouteDrive
  private let sky: SimulatedSky
  private var random: SplitMix64
  private var noise: (east: BoundedNoise, north: BoundedNoise, up: BoundedNoise)
  private var velocityNoise: (speed: BoundedNoise, course: BoundedNoise)
  private var nextIndex: Int64 = 0
  private var satellites: [SimulatedSky.Satellite] = []
  private var dilution: SimulatedSky.Dilution?

  private static let speedErrorMetersPerSecond = 0.03

  /// Makes a receiver before its first epoch.
  ///
  /// Throws ``SimulationError`` if a parameter is out of range.
  package init(_ configuration: Configuration) throws(SimulationError) {
    guard (1...25).contains(configuration.rateHertz) else {
      throw .rate(configuration.rateHertz)
    }
    guard (0...515).contains(configuration.speedMetersPerSecond) else {
      throw .speed(configuration.speedMetersPerSecond)
    }
    let positionSentences: Set<SimulatedSentence> = [.gga, .rmc, .gns, .gll]
    guard !positionSentences.isDisjoint(with: configuration.sentences) else { throw .noPosition }
    // This is the range from 1980-01-06 to 9998-12-31.
    guard (315_964_800...253_370_764_799).contains(configuration.start.secondsSince1970) else {
      throw .start(configuration.start.secondsSince1970)
    }
    self.configuration = configuration
    rate = configuration.rateHertz
    drive = RouteDrive(
      route: configuration.route, speedMetersPerSecond: configuration.speedMetersPerSecond)
    var random = SplitMix64(seed: configuration.seed)
    sky = SimulatedSky(phaseRadians: 2 * .pi * random.unitInterval())
    noise = (
      BoundedNoise(correlationSeconds: 60, random: &random),
      BoundedNoise(correlationSeconds: 60, random: &random),
      BoundedNoise(correlationSeconds: 90, random: &random)
    )
    velocityNoise = (
      BoundedNoise(correlationSeconds: 2, random: &random),
      BoundedNoise(correlationSeconds: 2, random: &random)
    )
    self.random = random
  }

  /// The time between two epochs in nanoseconds, rounded.
  package var periodNanoseconds: Int64 { 1_000_000_000 / Int64(rate) }

  /// The number of bytes sent in the busiest of the next ten seconds.
  package var busiestSecondByteCount: Int {
    var copy = self
    var busiest = 0
    for _ in 0..<10 {
      busiest = max(busiest, (0..<rate).reduce(0) { sum, _ in sum + copy.nextEpoch().bytes.count })
    }
    return busiest
  }

  /// Advances to the next epoch and returns it.
  package mutating func nextEpoch() -> SimulatedEpoch {
    let index = nextIndex
    nextIndex += 1
    let step = 1 / Double(rate)
    let elapsed = Self.milliseconds(index, rate: rate)
    let time = UTCTime(
      secondsSince1970: configuration.start.secondsSince1970 &+ elapsed / 1000,
      nanosecond: UInt32(elapsed % 1000) * 1_000_000)
    let state =
      drive.state(afterSeconds: Double(elapsed) / 1000)
      ?? RouteDrive.State(
        coordinate: configuration.route.waypoints[0].coordinate, altitude: 0, speed: 0,
        course: nil, climb: 0)
    let isWholeSecond = index % Int64(rate) == 0
    if isWholeSecond {
      satellites = sky.satellites(at: time)
      dilution = SimulatedSky.Dilution(satelliteCount: satellites.count(where: \.isUsed))
    }
    if index > 0 { advanceNoise(bySeconds: step) }

    let solution = solution(of: state, time: time)
    var writer = SentenceWriter()
    // The text is sent every second, because a program may open the line at any time.
    if isWholeSecond { writer.write(["GNTXT", "01", "01", "02", Self.announcement]) }
    for sentence in SimulatedSentence.allCases where configuration.sentences.contains(sentence) {
      guard isWholeSecond || !sentence.isOncePerSecond else { continue }
      for fields in sentence.fields(solution) { writer.write(fields) }
    }
    let spread = configuration.rangeErrorMeters * BoundedNoise.bound
    return SimulatedEpoch(
      bytes: writer.bytes, time: time, nanosecondsSinceStart: elapsed * 1_000_000,
      coordinate: state.coordinate, altitudeMetersAboveSeaLevel: state.altitude,
      speedMetersPerSecond: state.speed, courseDegreesTrue: state.course,
      climbMetersPerSecond: state.climb,
      horizontalErrorBoundMeters: spread * (dilution?.horizontal ?? 0),
      verticalErrorBoundMeters: spread * (dilution?.vertical ?? 0),
      satellitesUsed: satellites.count(where: \.isUsed), satellitesInView: satellites.count)
  }

  private mutating func advanceNoise(bySeconds step: Double) {
    noise.east.advance(bySeconds: step, random: &random)
    noise.north.advance(bySeconds: step, random: &random)
    noise.up.advance(bySeconds: step, random: &random)
    velocityNoise.speed.advance(bySeconds: step, random: &random)
    velocityNoise.course.advance(bySeconds: step, random: &random)
  }

  /// Returns the true state with errors added, as the receiver measures it.
  private func solution(of state: RouteDrive.State, time: UTCTime) -> SimulatedSolution {
    let range = configuration.rangeErrorMeters
    let east = range * (dilution?.east ?? 0) * noise.east.value
    let north = range * (dilution?.north ?? 0) * noise.north.value
    let up = range * (dilution?.vertical ?? 0) * noise.up.value
    let displaced = state.coordinate.destination(
      distanceMeters: (east * east + north * north).squareRoot(),
      bearingDegreesTrue: EarthVector.bearingDegrees(east: east, north: north))
    // Without a range error, the speed has no error.
    let speedError = range > 0 ? Self.speedErrorMetersPerSecond : 0
    let speed = max(0, state.speed + speedError * velocityNoise.speed.value)
    let course = state.course.map { course in
      let error = speedError / max(1, state.speed) * (180 / .pi) * velocityNoise.course.value
      let noisy = course + error
      return noisy < 0 ? noisy + 360 : noisy >= 360 ? noisy - 360 : noisy
    }
    return SimulatedSolution(
      time: time, timePlaces: 1000 % rate == 0 && (1000 / rate) % 10 == 0 ? 2 : 3,
      coordinate: displaced ?? state.coordinate, altitude: state.altitude + up,
      geoidSeparation: configuration.geoidSeparationMeters, speed: speed, course: course,
      satellites: satellites, dilution: dilution, rangeError: range)
  }

  /// Returns the time of an epoch in milliseconds since the first epoch, rounded.
  private static func milliseconds(_ index: Int64, rate: Int) -> Int64 {
    (index * 1000 + Int64(rate) / 2) / Int64(rate)
  }
}
