// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning

/// The state of one connection, which only ``ConnectionTable`` can change.
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

  let id: UInt64
  let owner: ConnectionOwner
  /// The protocol of a feed; `nil` for HTTP.
  let feed: FeedProtocol?
  var phase = Phase.reading
  var client: ServerClient.Key?
  var request: DaemonRequest?
  /// The session of a browser over TCP.
  var session: WebSession?
  /// The time limit of the current phase; `nil` for no limit.
  var deadline: MonotonicTime?
  var queue: OutgoingQueue
  /// The frame being written, which the kernel has not accepted completely.
  private(set) var writing: OutgoingQueue.Frame?
  /// The time at which the connection is aborted if the client has not read the current frame.
  var writeDeadline: MonotonicTime?
  /// The time of the next heartbeat of an idle stream of events.
  private(set) var heartbeatDeadline: MonotonicTime?
  /// Whether the connection is being closed to make room for others.
  var isEvicted = false
  /// The location service that the connection uses; `nil` if the connection does not use locations.
  var service: LocationServiceKind?
  var locationCount: UInt64 = 0
  /// The number of events on the stream of a page.
  private var eventCount: UInt64 = 0

  init(
    id: UInt64, owner: ConnectionOwner, feed: FeedProtocol?, deadline: MonotonicTime,
    limits: ServerLimits
  ) {
    self.id = id
    self.owner = owner
    self.feed = feed
    self.deadline = deadline
    queue = OutgoingQueue(
      maxFrames: limits.maxQueuedObjects, maxBytes: limits.maxQueuedBytes,
      reportsDrops: feed == nil)
  }

  /// Whether the connection has a stream or a feed, and no write is in progress.
  var isQuiet: Bool { phase == .streaming && writing == nil }

  /// The time of the next timeout or heartbeat; `nil` if none is scheduled.
  var nextDeadline: MonotonicTime? {
    .earlier(.earlier(deadline, writeDeadline), isQuiet ? heartbeatDeadline : nil)
  }

  /// Reports the end of the use: a one-time grant ends when the last connection that uses the grant
  /// is closed.
  var endOfUse: [ServerCore.Action] {
    guard let client, let service else { return [] }
    return [.note(client, .stopped(service, locationCount: locationCount))]
  }

  // MARK: Writing

  /// Returns the next frame, whose write starts now; `nil` if another write is in progress, or no
  /// frame waits.
  mutating func startWrite(_ limits: ServerLimits, at now: MonotonicTime) -> [UInt8]? {
    guard writing == nil, var frame = queue.next() else { return nil }
    if phase == .streaming, request?.isPage == true, frame.bytes.starts(with: "event:".utf8) {
      eventCount &+= 1
      frame.bytes = Array("id: \(eventCount)\n".utf8) + frame.bytes
    }
    writing = frame
    writeDeadline = now.advanced(
      bySeconds: feed == nil ? limits.stuckSeconds : limits.stuckFeedSeconds)
    if phase == .streaming, feed == nil {
      heartbeatDeadline = now.advanced(bySeconds: Double(limits.heartbeatSeconds))
    }
    return frame.bytes
  }

  mutating func endWrite() {
    writing = nil
    writeDeadline = nil
  }

  /// Discards the queued frames that reveal the location; returns whether the frame being written
  /// reveals it too.
  mutating func withdraw() -> Bool {
    queue.removeLocations()
    return writing?.containsLocation == true
  }
}

extension MonotonicTime? {
  /// Returns the earlier of two times; `nil` is never.
  static func earlier(_ one: Self, _ other: Self) -> Self {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
