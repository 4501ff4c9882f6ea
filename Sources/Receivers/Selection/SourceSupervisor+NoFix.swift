// SPDX-License-Identifier: Apache-2.0

import Positioning

/// The explanation for a missing position, of the open source that came closest to a position.
extension SourceSupervisor {
  /// Returns the explanation; `nil` if a source has a current position or no source is open.
  func noFixExplanation(at now: MonotonicTime) -> NoFixExplanation? {
    let limit = Double(selector.policy.lossNanoseconds) / 1e9
    let open = members.values.filter { $0.problem == nil }
    guard !open.contains(where: { $0.run?.hasPosition(within: limit, at: now) == true }) else {
      return nil
    }
    return open.sorted { $0.name < $1.name }
      .compactMap { $0.noFixExplanation(silentAfter: limit, at: now) }
      .max { ($0.reportsEpochs ? 1 : 0, $0.input) < ($1.reportsEpochs ? 1 : 0, $1.input) }
  }
}

extension SourceRun {
  /// Returns whether the newest position is at most `seconds` old.
  fileprivate func hasPosition(within seconds: Double, at now: MonotonicTime) -> Bool {
    lastPositionAt.map { now.seconds(since: $0) <= seconds } ?? false
  }

  /// Records an epoch.
  mutating func noteEpoch(hasPosition: Bool, at now: MonotonicTime) {
    firstEpochAt = firstEpochAt ?? now
    lastEpochAt = now
    if hasPosition { (lastPositionAt, sky) = (now, nil) }
  }

  /// Records the satellites while there is no current position.
  mutating func note(_ view: SkyView, at now: MonotonicTime) {
    // With a position, the satellites need no explanation.
    guard !hasPosition(within: 2, at: now) else { return }
    sky = SkySummary(view)
  }
}

extension SourceMember {
  /// Returns the explanation; `nil` if the source is not open, or if it has reported nothing and
  /// its input is unknown.
  fileprivate func noFixExplanation(
    silentAfter limit: Double, at now: MonotonicTime
  ) -> NoFixExplanation? {
    guard let run else { return nil }
    let name = fixName ?? plan.name
    guard let firstEpochAt = run.firstEpochAt, let lastEpochAt = run.lastEpochAt else {
      // Only the input of a serial port is counted. A modem's port is silent until it is enabled.
      guard case .serial = plan, receiver?.role != .modemPort || run.counters.readableSentences > 0
      else { return nil }
      var explanation = NoFixExplanation(
        source: name, input: run.input, reportsEpochs: false,
        seconds: now.seconds(since: run.startedAt))
      explanation.triedBauds = run.counters.trials.bauds
      explanation.readableBaud = run.counters.trials.bestBaud
      explanation.firstRefused = run.counters.firstRefused
      explanation.message = run.messages.fault(at: now)
      return explanation
    }
    guard now.seconds(since: lastEpochAt) <= limit else {
      return NoFixExplanation(
        source: name, input: .none, reportsEpochs: false, seconds: now.seconds(since: lastEpochAt))
    }
    var explanation = NoFixExplanation(
      source: name, input: .nmea, reportsEpochs: true,
      seconds: now.seconds(since: run.lastPositionAt ?? firstEpochAt), sky: run.sky)
    explanation.message = run.messages.fault(at: now)
    if run.counters.isRefusedOften { explanation.firstRefused = run.counters.firstRefused }
    return explanation
  }
}

extension NMEACounters {
  /// Whether at least one of twenty sentences was refused, so that it may explain a missing position.
  fileprivate var isRefusedOften: Bool { refusedSentences &* 19 >= sentences }
}

extension SourceRun {
  /// The kind of data that the port has sent.
  var input: LineInput {
    let trials = counters.trials
    guard !trials.bauds.isEmpty, counters.readableSentences == 0 else { return LineInput(counters) }
    return max(trials.best, counters.bytes > 0 ? .unreadable : .none)
  }
}
