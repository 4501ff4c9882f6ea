// SPDX-License-Identifier: Apache-2.0

internal import MQTTClient
internal import Positioning
internal import SystemSupport

/// Decides when to connect to a broker again, and which lines to log.
///
/// A broker closes the connection of a client whose id another client uses for a new connection. Only
/// a connection that lasts resets the back-off, so that two such clients do not take over from each
/// other many times a second.
struct BrokerRetry: Sendable {
  /// The duration of a connection after which the delay of attempts begins anew.
  static let steadySeconds = 60.0
  /// The number of consecutive short connections that indicates another client.
  static let maxLosses = 3

  private let clientID: String
  private var backOff = BackOff(firstNanoseconds: 250_000_000, maxNanoseconds: 8_000_000_000)
  /// The time at which the broker accepted the connection; `nil` without one.
  private var acceptedAt: MonotonicTime?
  private var lossCount = 0
  private var lastLine: String?

  init(clientID: String) { self.clientID = clientID }

  /// Notes that the broker accepted a connection, and returns the line to log.
  mutating func accepted(by address: BrokerAddress, at now: MonotonicTime) -> String? {
    acceptedAt = now
    return lossCount < Self.maxLosses ? "connected to \(address)" : nil
  }

  /// Notes that a connection ended or could not be made, and returns the line to log and the delay.
  mutating func failed(
    _ failure: MQTTFailure, at now: MonotonicTime, using generator: inout some RandomNumberGenerator
  ) -> (line: String?, delayNanoseconds: Int64) {
    let seconds = acceptedAt.map { now.seconds(since: $0) }
    acceptedAt = nil
    if let seconds, seconds >= Self.steadySeconds {
      backOff.succeed()
      lastLine = nil
      lossCount = 0
    } else {
      lossCount = seconds != nil && failure.wasClosed ? lossCount + 1 : 0
    }
    var line = failure.text
    if lossCount >= Self.maxLosses {
      line =
        "another client probably uses the id \(clientID): the broker closes each connection soon after "
        + "it has accepted it; see the article FleetBrokers"
    }
    defer { lastLine = line }
    return (line == lastLine ? nil : line, backOff.next(using: &generator))
  }
}
