// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The state of one connection.
struct ServerConnection: Sendable {
  enum Phase: Equatable, Sendable {
    /// Receiving the request.
    case reading
    /// Waiting for the client's policy, whose files are being read.
    case opening
    /// Waiting for the daemon's status or metrics.
    case readingStatus
    /// Waiting for a position.
    case locating
    /// Waiting for the decision on the authorization request with this number. If `waits` is false,
    /// the response is sent even if the decision is pending.
    case asking(UInt64, waits: Bool)
    /// Waiting for the decision on the full-accuracy request with this number.
    case askingFullAccuracy(UInt64)
    case streaming
    /// Writing the final response.
    case answering
  }

  let owner: ConnectionOwner
  var format: StreamFormat
  var phase = Phase.reading
  var client: ServerClient.Key?
  var request: DaemonRequest?
  /// The session of a browser over TCP.
  var session: WebSession?
  /// The time limit of the current phase; `nil` for no limit.
  var deadline: MonotonicTime?
  var queue: OutgoingQueue
  /// The frame being written, which the kernel has not accepted completely.
  var writing: OutgoingQueue.Frame?
  /// The time at which the connection is aborted if the client has not read the current frame.
  var writeDeadline: MonotonicTime?
  /// The time of the next heartbeat of an idle stream, or of the next report to the client of a
  /// feed without full accuracy.
  var heartbeatDeadline: MonotonicTime?
  /// Whether the stream includes locations; if false, it contains only the client's authorization.
  var includesLocations = true
  /// Whether the connection is being closed to make room for others.
  var isEvicted = false
  /// Whether the client of a feed was told why it has no access.
  var hasReportedRefusal = false
  /// Whether a source loss, but no later location, was sent to the client.
  ///
  /// Used for reduced accuracy only.
  var hasReportedLoss = false
  /// The location service that the connection uses; `nil` if the connection does not use locations.
  var service: LocationServiceKind?
  var locationCount: UInt64 = 0
  /// The number of events on the stream of a page.
  var eventCount: UInt64 = 0
  /// The requests that wait, as last sent to a page.
  var sentRequests: [UInt8]?
  /// The version of the last reduced location that was sent.
  var reducedVersion: UInt64 = 0

  init(
    owner: ConnectionOwner, format: StreamFormat, deadline: MonotonicTime, limits: ServerLimits
  ) {
    self.owner = owner
    self.format = format
    self.deadline = deadline
    queue = OutgoingQueue(
      maxFrames: limits.maxQueuedObjects, maxBytes: limits.maxQueuedBytes,
      reportsDrops: format.feed == nil)
  }
}
