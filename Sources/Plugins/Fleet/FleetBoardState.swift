// SPDX-License-Identifier: Apache-2.0

internal import FleetProtocol
internal import LocationServices
internal import Positioning

/// Converts locations into the batches and the status of a board.
struct FleetBoardState: Sendable {
  /// The minimum time between two messages of the status.
  static let statusSeconds = 60.0
  /// The time for which a problem is part of the status.
  static let problemSeconds = 3600.0

  private var rate: PositionRate
  private let isReduced: Bool
  private let statusSeconds: Double
  var batcher: FleetBatcher
  private var reduced = ReducedAccuracy()
  /// The newest fix, and whether it is from a simulator or a recording.
  private var newest: (fix: FleetFix, isSimulated: Bool)?
  private var statusAt: MonotonicTime?
  private var problem: (text: String, at: MonotonicTime)?

  init(_ settings: FleetBoardSettings) {
    rate = settings.rate
    isReduced = settings.isReduced
    statusSeconds = max(Self.statusSeconds, settings.batchSeconds)
    batcher = FleetBatcher(maxFixes: settings.batchFixes)
  }

  /// Adds a location to the open batch, if the rate allows.
  ///
  /// With reduced accuracy, adds the cell and the quarter of an hour instead, without any time since
  /// boot, which would reveal the exact time.
  mutating func receive(_ location: Location, cell: ReducedCell, now: MonotonicTime) {
    var (location, bootMilliseconds) = (location, location.receivedAt.map(\.milliseconds))
    if isReduced {
      let reducedLocation = cell.lend(isChoosing: reduced.isDue(at: now)) { memory in
        reduced.memory = memory
        defer { memory = reduced.memory }
        return reduced.take(location, at: now)
      }
      guard let reducedLocation else { return }
      (location, bootMilliseconds) = (reducedLocation, nil)
    } else if !rate.takes(location.coordinate, at: now) {
      return
    }
    let fix = FleetFix(location, bootMilliseconds: bootMilliseconds)
    let isSimulated = location.isSimulated || location.isReplayed
    newest = (fix, isSimulated)
    batcher.add(fix, isSimulated: isSimulated)
  }

  /// Notes a problem for the status.
  mutating func note(_ problem: String, now: MonotonicTime) {
    let isNew = self.problem?.text != problem
    self.problem = (problem, now)
    if isNew { statusAt = nil }
  }

  /// Returns the status if it is due.
  mutating func statusIfDue(
    epoch: FleetEpoch, pendingCount: Int64, droppedCount: Int64, now: MonotonicTime
  ) -> FleetStatus? {
    if let statusAt, now.seconds(since: statusAt) < statusSeconds { return nil }
    statusAt = now
    if let since = problem?.at, now.seconds(since: since) > Self.problemSeconds { problem = nil }
    var status = FleetStatus(isOnline: true)
    (status.epoch, status.pendingCount) = (epoch, pendingCount)
    status.droppedCount = droppedCount + batcher.droppedCount
    (status.fix, status.isSimulated) = (newest?.fix, newest?.isSimulated ?? false)
    status.isReduced = isReduced
    status.problem = problem.map { String($0.text.prefix(FleetStatus.maxProblemBytes / 4)) }
    return status
  }
}

extension MonotonicTime {
  fileprivate var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
