// SPDX-License-Identifier: Apache-2.0

internal import Broker
internal import Plugins
internal import Positioning
internal import WeatherFeature

/// Tells those who may know the board's cell and no more the weather in the middle of it, from what
/// is stored: nobody is asked for it.
///
/// When it is told depends on when they are told of the cell, which is seldom and not for the board's
/// moving: a line each time that the board has gone on a kilometre would show how fast it goes. Only
/// where nothing was known yet it is told once more, as soon as a provider has answered.
actor ReducedWeather {
  private let inquiry: @Sendable () -> WeatherInquiry?
  private let now: @Sendable () -> MonotonicTime
  private let publish: @Sendable (BrokerEvent) -> Void
  private var cell: Coordinate?
  private var isKnown = false

  /// - Parameters:
  ///   - inquiry: What is known of the weather; `nil` while it is off.
  ///   - now: The present reading of the clock that never jumps.
  ///   - publish: Takes what clients are told; returns at once.
  init(
    inquiry: @escaping @Sendable () -> WeatherInquiry?,
    now: @escaping @Sendable () -> MonotonicTime,
    publish: @escaping @Sendable (BrokerEvent) -> Void
  ) {
    self.inquiry = inquiry
    self.now = now
    self.publish = publish
  }

  /// Clients have been told a cell.
  ///
  /// - Parameter cell: Its middle.
  func told(_ cell: Coordinate) async {
    (self.cell, isKnown) = (cell, false)
    await tell()
  }

  /// A provider has answered.
  func answered() async { if !isKnown { await tell() } }

  private func tell() async {
    guard let cell, let inquiry = inquiry() else { return }
    // The board's own sensors measure where it is, and not in the middle.
    let outlook = await inquiry.stored(WeatherInquiry.Question(at: cell, isHere: false))
    guard cell == self.cell else { return }
    isKnown = outlook.ladder.best != nil
    let made = now()
    publish(
      .object(
        BrokerObject(name: "WEATHER", for: .cell(cell), keeping: .newest(subject: nil)) { now in
          guard now.seconds(since: made) <= WeatherHold.reducedSeconds else { return nil }
          var line = JSONLine()
          line.appendReducedWEATHER(outlook)
          return line.bytes
        }))
  }
}
