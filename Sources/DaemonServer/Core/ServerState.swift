// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The state that streams, feeds and requests share.
struct ServerState: Sendable {
  var connections: ConnectionTable
  var clients: ClientTable
  /// The latest value of each kind, for streams that start later.
  var latest = ServerLatest()
  /// The time of the event that is being handled.
  var now = MonotonicTime(nanoseconds: 0)

  /// The access that a client has now.
  func access(of key: ServerClient.Key) -> ServerClient.Access { clients.access(of: key) }

  /// The access that a client has now on a stream or feed; none if the connection is being closed.
  ///
  /// Read for each frame that may reveal the location, just before it is queued.
  func access(of key: ServerClient.Key, on id: UInt64) -> ServerClient.Access {
    connections.isStreaming(id) ? clients.access(of: key) : .nothing
  }

  /// The current location with reduced accuracy, updated if an update is due.
  mutating func reduce() -> Fix? { latest.reduce(at: now).map { Fix($0) } }

  /// The time limit of a request that waits, which ends at most with its session.
  func timeout(of id: UInt64, _ seconds: Int) -> MonotonicTime {
    let timeout = now.advanced(bySeconds: Double(seconds))
    return min(timeout, connections[id]?.session?.end ?? timeout)
  }

  mutating func answer(
    _ id: UInt64, _ bytes: [UInt8], containsLocation: Bool = false
  ) -> [ServerCore.Action] {
    connections.answer(id, bytes, containsLocation: containsLocation, now)
  }

  mutating func refuse(_ id: UInt64, _ fault: DaemonFault) -> [ServerCore.Action] {
    connections.refuse(id, fault, now)
  }

  /// Refuses a request for the location, with the command that gives access to its client.
  mutating func refuseAccess(_ id: UInt64, _ key: ServerClient.Key) -> [ServerCore.Action] {
    refuse(id, clients.refusal(of: key))
  }

  /// Queues a frame, and starts to write it unless another write is in progress.
  mutating func send(_ frame: OutgoingQueue.Frame, to id: UInt64) -> [ServerCore.Action] {
    connections.send(frame, to: id, now)
  }
}
