// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Positioning

/// The events and actions of browsers, whose answers need more than the state of the core.
extension ServerCore {
  enum WebEvent: Sendable {
    /// The response, in pieces, does not depend on a client.
    case answered(ConnectionID, [[UInt8]])
    /// The nearest places of a coordinate, as requested by ``WebAction/readPlaces(_:_:)``.
    case places(ConnectionID, Coordinate, [UInt8])
    /// The requests that wait, as a JSON array; without a connection, after a change.
    case requests(ConnectionID?, [UInt8])
    /// The decision was recorded, or the reason why it was not.
    case decided(ConnectionID, DaemonFault?)
    /// A session has ended before its time.
    case sessionEnded(UInt64)
  }

  enum WebAction: Equatable, Sendable {
    case readPlaces(ConnectionID, Coordinate)
    /// Read the requests that wait; without a connection, for the streams of pages.
    case readRequests(ConnectionID?)
    /// Record a decision about the request with this number.
    case decide(ConnectionID, UInt64, DaemonDecision, by: UInt32, reason: String)
  }
}
