// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Plugins
internal import Positioning
internal import Synchronization
internal import WeatherFeature

/// Tells clients of reduced accuracy the weather at the middle of the board's cell.
///
/// Its values come from a request for that point, one a quarter of an hour for all of these clients.
/// Values for the board's own place would reveal it: a client could compare them with the provider's
/// values for every place of the cell.
///
/// The weather is told when they are told of the cell, which is seldom and not for the board's
/// moving. Only where nothing was known it is told once more, when the network's path has changed.
///
/// One task takes what comes, in its order, so that the newest cell is not overtaken by another.
final class ReducedWeather: Sendable {
  /// What has come and is not told yet: of several cells the newest.
  private struct Wish {
    var cell: Coordinate?
    var hasPath = false
  }

  private let weatherQueries: @Sendable () -> WeatherQueries?
  private let isReachable: @Sendable () async -> Bool
  private let now: @Sendable () -> MonotonicTime
  private let publish: @Sendable (ServerEvent) -> Void
  private let wish = Mutex(Wish())
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - weatherQueries: What is known of the weather; `nil` while it is off.
  ///   - isReachable: Whether the network leads to a provider.
  ///   - now: The present reading of the clock that never jumps.
  ///   - publish: Takes what clients are told; returns at once, and calls nothing of this.
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
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Clients have been told a cell; returns at once.
  func told(_ cell: Coordinate) {
    wish.withLock { $0.cell = cell }
    wake.yield(())
  }

  /// The network's path has changed; returns at once.
  func pathChanged() {
    wish.withLock { $0.hasPath = true }
    wake.yield(())
  }

  /// Tells, until the task is cancelled; run once.
  func run() async {
    var cell: Coordinate?
    var isKnown = false
    for await _ in wakes {
      let wish = self.wish.withLock { wish in
        defer { wish = Wish() }
        return wish
      }
      if let new = wish.cell { (cell, isKnown) = (new, false) }
      guard let cell, wish.cell != nil || (wish.hasPath && !isKnown) else { continue }
      isKnown = await tell(cell)
    }
  }

  /// Tells the weather of a cell; gives whether anything is known.
  func tell(_ cell: Coordinate) async -> Bool {
    guard let weatherQueries = weatherQueries() else { return false }
    let outlook = await weatherQueries.reduced(atMiddleOfCell: cell, mayAsk: await isReachable())
    let made = now()
    let object = ServerObject(
      name: "WEATHER", for: .cell(cell), keeping: .newest(subject: nil)
    ) { now in
      guard now.seconds(since: made) <= WeatherEventLifetime.reducedSeconds else { return nil }
      var line = JSONLine()
      line.appendReducedWEATHER(outlook)
      return line.bytes
    }
    // One that is told meanwhile is the next, and readers of that one are told nothing of this:
    // under the lock, where none can come between.
    return wish.withLock { wish in
      guard wish.cell == nil else { return false }
      publish(.object(object))
      return outlook.resolver.best != nil
    }
  }
}
