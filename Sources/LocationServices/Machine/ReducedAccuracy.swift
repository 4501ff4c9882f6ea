// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// What a client of reduced accuracy gets: grid points, seldom.
package struct ReducedAccuracy: Sendable {
  /// No more often than this, however the client asks.
  package static let minimumSeconds = 900.0
  /// The radius given where a cell needs no larger one.
  static let radiusMeters = 5000.0

  /// What outlives it, and is one for all of a board: see `ReducedCell`.
  package struct Memory: Equatable, Sendable {
    var cell: ReducedAccuracyGrid.Cell?
  }

  private var grid = ReducedAccuracyGrid()
  /// A simulated board has nothing to hide, and does not move the real one.
  private var simulatedGrid = ReducedAccuracyGrid()
  /// What the client was given last: given again, it says nothing new.
  package private(set) var last: Location?
  private var lastAt: MonotonicTime?
  private var clockWithoutPosition = TrackClock()
  private var lastWithoutPosition: MonotonicTime?

  package init() {}

  /// The cell that holds at present; set before a location is taken where others share it.
  package var memory: Memory {
    get { Memory(cell: grid.current) }
    set { grid.current = newValue.cell }
  }

  /// Whether the next location is told, and so a cell chosen for it.
  package func isDue(at now: MonotonicTime) -> Bool {
    lastAt.map { now.seconds(since: $0) >= Self.minimumSeconds } ?? true
  }

  /// Takes a location; gives the one to tell, or `nil` while it is too soon.
  package mutating func take(_ location: Location, at now: MonotonicTime) -> Location? {
    guard isDue(at: now) else { return nil }
    let cell =
      location.isSimulated
      ? simulatedGrid.snap(location.coordinate) : grid.snap(location.coordinate)
    let reduced = location.reduced(to: cell)
    (last, lastAt) = (reduced, now)
    return reduced
  }

  /// Takes a location that whoever serves it has reduced; gives it where it is news.
  package mutating func adopt(_ location: Location, at now: MonotonicTime) -> Location? {
    var known = last
    known?.receivedAt = location.receivedAt
    guard known != location else { return nil }
    (last, lastAt) = (location, now)
    return location
  }

  /// What the client was given last, while it is too soon for another.
  func current(at now: MonotonicTime) -> Location? {
    isDue(at: now) ? nil : last
  }

  /// Whether the client is told of an epoch without a position: no more often than of locations.
  ///
  /// By the times of such epochs alone, so that they hold up no location.
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
  /// The location as a client of reduced accuracy may know it: a cell, and roughly when.
  ///
  /// What tells of the surroundings or of motion is left out: speed, course, heights, satellites,
  /// how the position was obtained. What remains of the source is its name and whether it can be
  /// relied on.
  func reduced(to cell: ReducedAccuracyGrid.Cell) -> Location {
    let center = ReducedAccuracyGrid.center(of: cell) ?? coordinate
    var reduced = Location(coordinate: center, time: time?.beginningOfQuarter)
    // The radius covers the cell to its corners, and the receiver's own error where that exceeds a
    // step: a smaller one would reveal the reception. That is more than two times out of three: what a
    // client of Core Location reads as the accuracy must not be less than half the cell's diagonal.
    let own = horizontalAccuracy?.horizontalMeters(atConfidencePercent: 95) ?? 0
    let step = 500.0
    let reach = ReducedAccuracyGrid.reachMeters(cell) + (own > step ? own : 0)
    let radius = (reach / step).rounded(.up) * step
    reduced.horizontalAccuracy = Accuracy(
      meters: max(ReducedAccuracy.radiusMeters, radius), confidencePercent: 68, basis: .dilution)
    reduced.receivedAt = receivedAt
    reduced.source = source
    reduced.isSimulated = isSimulated
    reduced.isDateCorrected = isDateCorrected
    return reduced
  }
}
