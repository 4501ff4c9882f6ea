// SPDX-License-Identifier: Apache-2.0

internal import Broker
internal import Plugins
internal import Positioning
internal import Synchronization
internal import WeatherFeature

/// Tells those who may know the board's cell and no more the weather in the middle of it, from what
/// is stored: nobody is asked for it.
///
/// When it is told depends on when they are told of the cell, which is seldom and not for the board's
/// moving: a line each time that the board has gone on a kilometre would show how fast it goes. Only
/// where nothing was known yet it is told once more, as soon as a provider has answered.
///
/// What comes is taken in its order, by one task: the newest cell is never overtaken by another.
final class ReducedWeather: Sendable {
  /// What has come and is not told yet: of several cells the newest.
  private struct Wish {
    var cell: Coordinate?
    var isAnswered = false
  }

  private let inquiry: @Sendable () -> WeatherInquiry?
  private let now: @Sendable () -> MonotonicTime
  private let publish: @Sendable (BrokerEvent) -> Void
  private let wish = Mutex(Wish())
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - inquiry: What is known of the weather; `nil` while it is off.
  ///   - now: The present reading of the clock that never jumps.
  ///   - publish: Takes what clients are told; returns at once, and calls nothing of this.
  init(
    inquiry: @escaping @Sendable () -> WeatherInquiry?,
    now: @escaping @Sendable () -> MonotonicTime,
    publish: @escaping @Sendable (BrokerEvent) -> Void
  ) {
    self.inquiry = inquiry
    self.now = now
    self.publish = publish
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Clients have been told a cell; returns at once.
  ///
  /// - Parameter cell: Its middle.
  func told(_ cell: Coordinate) {
    wish.withLock { $0.cell = cell }
    wake.yield(())
  }

  /// A provider has answered; returns at once.
  func answered() {
    wish.withLock { $0.isAnswered = true }
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
      guard let cell, wish.cell != nil || (wish.isAnswered && !isKnown) else { continue }
      isKnown = await tell(cell)
    }
  }

  /// Tells; gives whether anything is known.
  private func tell(_ cell: Coordinate) async -> Bool {
    guard let inquiry = inquiry() else { return false }
    // The board's own sensors measure where it is, and not in the middle.
    let outlook = await inquiry.stored(WeatherInquiry.Question(at: cell, isHere: false))
    let made = now()
    let object = BrokerObject(
      name: "WEATHER", for: .cell(cell), keeping: .newest(subject: nil)
    ) { now in
      guard now.seconds(since: made) <= WeatherHold.reducedSeconds else { return nil }
      var line = JSONLine()
      line.appendReducedWEATHER(outlook)
      return line.bytes
    }
    // One that is told meanwhile is the next, and readers of that one are told nothing of this:
    // under the lock, where none can come between.
    return wish.withLock { wish in
      guard wish.cell == nil else { return false }
      publish(.object(object))
      return outlook.ladder.best != nil
    }
  }
}
