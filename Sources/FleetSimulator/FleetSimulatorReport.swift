// SPDX-License-Identifier: Apache-2.0

package import MQTTClient

/// The counts of a simulation.
package struct FleetSimulatorReport: Equatable, Sendable, CustomStringConvertible {
  package var boardCount = 0
  /// The fixes that were made.
  package var madeCount: Int64 = 0
  /// The fixes that were acknowledged.
  package var acknowledgedCount: Int64 = 0
  /// The batches that were published, and those that were published again.
  package var publishedCount = 0
  package var resentCount = 0
  /// The connections that the brokers accepted.
  package var connectionCount = 0
  /// A failure of a connection that no broker had accepted; `nil` if there was none.
  package var failure: MQTTFailure?
  /// The faults: connections that were cut, and boards that were killed.
  package var cutCount = 0
  package var killedCount = 0
  /// The times until the broker's acknowledgements in milliseconds; a sample.
  package var latencies: [Double] = []

  /// The fixes that were not acknowledged at the end.
  package var lostCount: Int64 { madeCount - acknowledgedCount }

  package init() {}

  mutating func add(_ other: FleetSimulatorReport) {
    boardCount += other.boardCount
    madeCount += other.madeCount
    acknowledgedCount += other.acknowledgedCount
    publishedCount += other.publishedCount
    resentCount += other.resentCount
    connectionCount += other.connectionCount
    failure = failure ?? other.failure
    cutCount += other.cutCount
    killedCount += other.killedCount
    latencies += other.latencies
  }

  /// Returns the latency below which a fraction of the sample is; `nil` without a sample.
  package func latency(quantile: Double) -> Double? {
    let sorted = latencies.sorted()
    return sorted.isEmpty
      ? nil : sorted[min(Int(Double(sorted.count) * quantile), sorted.count - 1)]
  }

  package var description: String {
    func text(_ quantile: Double) -> String {
      latency(quantile: quantile).map { "\((($0 * 10).rounded()) / 10) ms" } ?? "unknown"
    }
    return """
      boards=\(boardCount) made=\(madeCount) acknowledged=\(acknowledgedCount) lost=\(lostCount)
      batches=\(publishedCount) resent=\(resentCount) connections=\(connectionCount)
      cut=\(cutCount) killed=\(killedCount) puback_p50=\(text(0.5)) puback_p99=\(text(0.99))
      """
  }
}
