// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// Locations for a client with reduced accuracy: grid points at a low rate.
package struct ReducedAccuracy: Sendable {
  /// The minimum time between two locations, in seconds.
  package static let minimumSeconds = 900.0
  /// The minimum accuracy radius, in metres.
  static let radiusMeters = 5000.0

  /// State that all programs of a board share and that outlives this value; see `ReducedCell`.
  package struct Memory: Equatable, Sendable {
    var cell: ReducedAccuracyGrid.Cell?
  }

  private var grid = ReducedAccuracyGrid()
  /// A separate grid, so that simulated and replayed locations do not change the cell of the real
  /// board.
  private var foreignGrid = ReducedAccuracyGrid()
  /// The last delivered location; delivering it again reveals nothing new.
  package private(set) var last: Location?
  private var lastAt: MonotonicTime?
  private var clockWithoutPosition = TrackClock()
  private var lastWithoutPosition: MonotonicTime?

  package init() {}

  /// The current cell; a shared cell is set before a location is processed.
  package var memory: Memory {
    get { Memory(cell: grid.current) }
    set { grid.current = newValue.cell }
  }

  /// Whether the next location will be delivered; a cell is then chosen for it.
  package func isDue(at now: MonotonicTime) -> Bool {
    lastAt.map { now.seconds(since: $0) >= Self.minimumSeconds } ?? true
  }

  /// Processes a location; returns the one to deliver, or `nil` until the next one is due.
  package mutating func take(_ location: Location, at now: MonotonicTime) -> Location? {
    guard isDue(at: now) else { return nil }
    let cell =
      location.isSimulated || location.isReplayed
      ? foreignGrid.snap(location.coordinate) : grid.snap(location.coordinate)
    let reduced = location.reduced(to: cell)
    (last, lastAt) = (reduced, now)
    return reduced
  }

  /// Adopts a location that the daemon has reduced; returns it if it differs from the last one.
  package mutating func adopt(_ location: Location, at now: MonotonicTime) -> Location? {
    var previous = last
    previous?.receivedAt = location.receivedAt
    guard previous != location else { return nil }
    (last, lastAt) = (location, now)
    return location
  }

  /// Returns the last delivered location; `nil` when another one is due.
  func current(at now: MonotonicTime) -> Location? {
    isDue(at: now) ? nil : last
  }

  /// Whether an epoch without a position may be reported: no more often than locations.
  ///
  /// Only the times of such epochs are compared, so that they do not delay locations.
  package mutating func passes(withoutPosition fix: Fix, at arrival: MonotonicTime) -> Bool {
    let now = clockWithoutPosition.advance(to: fix.time, arrival: arrival)
    if let last = lastWithoutPosition, now.seconds(since: last) < Self.minimumSeconds {
      return false
    }
    lastWithoutPosition = now
    return true
  }
}

extension Location {
  /// Returns the location for a client with reduced accuracy: the cell and an approximate time.
  ///
  /// Omits everything that reveals the surroundings or motion: speed, course, heights, satellites and
  /// the kind of fix. The name of the source and the flags for simulation, replay and date
  /// correction remain.
  func reduced(to cell: ReducedAccuracyGrid.Cell) -> Location {
    let center = ReducedAccuracyGrid.center(of: cell) ?? coordinate
    var reduced = Location(coordinate: center, time: time?.startOfQuarterHour)
    // The radius covers the cell to its corners, plus the receiver's error if that exceeds one
    // step; a smaller error would reveal the reception. The radius is larger than a 68 % radius
    // would be: clients ported from Core Location read the radius as the accuracy, which must be at
    // least half the cell's diagonal.
    let errorMeters = horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) ?? 0
    let step = 500.0
    let reach = ReducedAccuracyGrid.reachMeters(cell) + (errorMeters > step ? errorMeters : 0)
    let radius = (reach / step).rounded(.up) * step
    reduced.horizontalAccuracy = Accuracy(
      meters: max(ReducedAccuracy.radiusMeters, radius), confidencePercent: 68, basis: .dilution)
    reduced.receivedAt = receivedAt
    reduced.source = source
    reduced.isSimulated = isSimulated
    reduced.isReplayed = isReplayed
    reduced.isDateCorrected = isDateCorrected
    return reduced
  }
}
