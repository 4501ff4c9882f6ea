// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Plugins
internal import Positioning
internal import Synchronization
internal import WeatherFeature

/// Publishes the weather at the centre of the board's cell to clients with reduced accuracy.
///
/// The values come from a request for the centre. At most one request is sent per quarter of an
/// hour for all these clients. Values for the board's own position would reveal that position: a
/// client could compare them with the provider's values for every position in the cell.
///
/// The weather is published after each cell that the server sends to these clients. If no value was
/// available at that time, the weather is published again after a change of the network path.
///
/// A single task handles the changes in their order, so that the weather of the newest cell is
/// published last.
final class ReducedWeather: Sendable {
  /// The changes that have not been handled yet.
  ///
  /// Only the newest cell is kept.
  private struct PendingChanges {
    var cell: Coordinate?
    var hasPathChanged = false
  }

  private let weatherQueries: @Sendable () -> WeatherQueries?
  private let isReachable: @Sendable () async -> Bool
  private let now: @Sendable () -> MonotonicTime
  private let publish: @Sendable (ServerEvent) -> Void
  private let pending = Mutex(PendingChanges())
  private let wakes: AsyncStream<Void>
  private let wakeContinuation: AsyncStream<Void>.Continuation

  /// Creates a publisher without a cell.
  ///
  /// - Parameters:
  ///   - weatherQueries: Returns the weather queries; `nil` while weather is disabled.
  ///   - isReachable: Whether the network path to a provider is satisfied.
  ///   - now: The monotonic clock.
  ///   - publish: Sends an event to the clients. Must return at once, and must not call this
  ///     object.
  init(
    weatherQueries: @escaping @Sendable () -> WeatherQueries?,
    isReachable: @escaping @Sendable () async -> Bool,
    now: @escaping @Sendable () -> MonotonicTime,
    publish: @escaping @Sendable (ServerEvent) -> Void
  ) {
    self.weatherQueries = weatherQueries
    self.isReachable = isReachable
    self.now = now
    self.publish = publish
    (wakes, wakeContinuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Handles a cell that was sent to clients.
  ///
  /// Returns at once.
  func cellPublished(_ cell: Coordinate) {
    pending.withLock { $0.cell = cell }
    wakeContinuation.yield(())
  }

  /// Handles a change of the network path.
  ///
  /// Returns at once.
  func pathChanged() {
    pending.withLock { $0.hasPathChanged = true }
    wakeContinuation.yield(())
  }

  /// Publishes the weather until the task is cancelled.
  ///
  /// Call once.
  func run() async {
    var cell: Coordinate?
    var hasWeather = false
    for await _ in wakes {
      let changes = pending.withLock { pending in
        defer { pending = PendingChanges() }
        return pending
      }
      if let new = changes.cell { (cell, hasWeather) = (new, false) }
      guard let cell, changes.cell != nil || (changes.hasPathChanged && !hasWeather) else {
        continue
      }
      hasWeather = await publishWeather(of: cell)
    }
  }

  /// Publishes the weather of a cell.
  ///
  /// Returns false if no value is available or a newer cell is pending.
  func publishWeather(of cell: Coordinate) async -> Bool {
    guard let weatherQueries = weatherQueries() else { return false }
    let outlook = await weatherQueries.reduced(
      atCentreOfCell: cell, contactsProvider: await isReachable())
    let createdAt = now()
    let object = ServerObject(
      name: "WEATHER", for: .cell(cell), keeping: .newest(subject: nil)
    ) { now in
      guard now.seconds(since: createdAt) <= WeatherEventLifetime.reducedSeconds else { return nil }
      var line = JSONLine()
      line.appendReducedWEATHER(outlook)
      return line.bytes
    }
    // Do not publish if the clients have received a newer cell meanwhile. The lock is held during
    // check and publication, so that no cell can arrive in between.
    return pending.withLock { pending in
      guard pending.cell == nil else { return false }
      publish(.object(object))
      if let report = outlook.report, let time = outlook.time {
        publish(
          .object(
            .forecast(
              of: report, for: .cell(cell), createdAt: createdAt, time, ageSteps: 900)))
      }
      return outlook.resolved.best != nil
    }
  }
}
