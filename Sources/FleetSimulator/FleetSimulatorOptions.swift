// SPDX-License-Identifier: Apache-2.0

package import NIOSSL
package import SystemSupport

/// The boards of a simulation, and their broker.
package struct FleetSimulatorOptions: Sendable {
  /// The nodes of a broker; a board goes to the next one after a failure.
  package var brokers: [BrokerAddress]
  /// The certificates for `mqtts://`.
  package var tls: NIOSSLContext?
  package var username: String?
  package var password: String?
  package var boardCount: Int
  /// The time for which the boards make fixes.
  package var seconds: Double
  /// The number of fixes of a board in a second.
  package var hertz: Double
  /// The first part of the ids; the number of the board is the second.
  package var prefix = "sim"
  package var batchFixes = 30
  package var batchSeconds = 10.0
  /// Whether batches are marked as simulated, which consumers refuse by default.
  package var isMarked = true
  /// Whether a consumer acknowledges the fixes; otherwise the broker's acknowledgement counts.
  package var hasConsumer = true
  /// The time after which unacknowledged fixes are published again.
  package var resendSeconds = 600.0
  /// The maximum time to wait for acknowledgements after the last fix.
  package var waitSeconds = 60.0
  /// The number of connections that are opened in a second.
  package var connectionsPerSecond = 500.0
  /// The seed of connections that are cut and of boards that are killed; `nil` without faults.
  package var faultSeed: UInt64?

  package init(brokers: [BrokerAddress], boardCount: Int, seconds: Double, hertz: Double) {
    (self.brokers, self.boardCount) = (brokers, boardCount)
    (self.seconds, self.hertz) = (seconds, hertz)
  }
}
