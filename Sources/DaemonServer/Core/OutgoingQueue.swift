// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Positioning

/// A bounded queue of the frames to write to one client.
///
/// A full queue drops its oldest frames, and reports their number to clients of HTTP.
struct OutgoingQueue: Sendable {
  struct Frame: Equatable, Sendable {
    var bytes: [UInt8]
    /// Whether the frame reveals where the board is.
    var containsLocation = false
    /// The state that the frame contains; `nil` for an event.
    ///
    /// A frame with a state is never dropped, but a newer frame of the same state replaces it.
    var state: State?

    enum State: Sendable {
      /// The client's authorization.
      case authorization
      /// The requests that wait.
      case requests
    }
  }

  private var frames: [Frame] = []
  private(set) var byteCount = 0
  /// The number of dropped frames that have not been reported to the client.
  private(set) var droppedCount = 0
  /// The number of all dropped frames.
  private(set) var totalDroppedCount = 0
  /// Whether dropped frames are reported to the client.
  private let reportsDrops: Bool
  private let maxFrames: Int
  private let maxBytes: Int

  init(maxFrames: Int, maxBytes: Int, reportsDrops: Bool = true) {
    self.reportsDrops = reportsDrops
    self.maxFrames = maxFrames
    self.maxBytes = maxBytes
  }

  var isEmpty: Bool { frames.isEmpty && droppedCount == 0 }
  var count: Int { frames.count }

  mutating func append(_ frame: Frame) {
    if let state = frame.state { remove { $0.state == state } }
    frames.append(frame)
    byteCount += frame.bytes.count
    while frames.count > maxFrames || byteCount > maxBytes {
      guard let oldest = frames.firstIndex(where: { $0.state == nil }) else { return }
      byteCount -= frames.remove(at: oldest).bytes.count
      totalDroppedCount += 1
      if reportsDrops { droppedCount += 1 }
    }
  }

  /// Appends all pieces of a response, beyond the limits of the queue.
  ///
  /// A client cannot use a response without one of its pieces. The pieces are those of a file of the
  /// program, and all connections share them.
  mutating func append(response pieces: [[UInt8]]) {
    for piece in pieces {
      frames.append(Frame(bytes: piece))
      byteCount += piece.count
    }
  }

  /// Removes all frames that reveal where the board is.
  mutating func removeLocations() { remove { $0.containsLocation } }

  private mutating func remove(where matches: (Frame) -> Bool) {
    frames.removeAll(where: matches)
    byteCount = frames.reduce(0) { $0 + $1.bytes.count }
  }

  /// Removes and returns the next frame to write.
  ///
  /// If frames were dropped, returns a report of their number first.
  mutating func next() -> Frame? {
    if droppedCount > 0 {
      defer { droppedCount = 0 }
      return Frame(bytes: Self.notice(of: droppedCount))
    }
    guard !frames.isEmpty else { return nil }
    let frame = frames.removeFirst()
    byteCount -= frame.bytes.count
    return frame
  }

  private static func notice(of count: Int) -> [UInt8] {
    var line = JSONLine(reservingCapacity: 128)
    line.beginObject()
    line.constant("class", "ERROR")
    line.constant("error", "dropped")
    line.string("message", "\(count) objects dropped because the client reads too slowly")
    line.constant("source", "server")
    line.integer("dropped", count)
    line.endObject()
    line.endLine()
    return Frame.event("ERROR", line.bytes)
  }
}

extension OutgoingQueue.Frame {
  /// Encodes an object as a server-sent event.
  static func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
    let end = json.last == UInt8(ascii: "\n") ? json.dropLast() : json[...]
    return ServerSentEvent(type: name, data: Array(end)).bytes
  }
}
