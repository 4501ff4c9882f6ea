// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import Positioning

/// What waits to be written to one client: the newest, within bounds, and how much is missing.
struct OutgoingQueue: Sendable {
  struct Frame: Equatable, Sendable {
    var bytes: [UInt8]
    /// Whether anybody could tell from it where the board is.
    var containsLocation = false
    /// What the client may know from here on: never dropped, and overtaken by the next.
    var isAuthorization = false
  }

  private var frames: [Frame] = []
  private(set) var byteCount = 0
  /// Missing, and the client does not know yet.
  private(set) var droppedCount = 0
  private let maxFrames: Int
  private let maxBytes: Int

  init(maxFrames: Int, maxBytes: Int) {
    self.maxFrames = maxFrames
    self.maxBytes = maxBytes
  }

  var isEmpty: Bool { frames.isEmpty && droppedCount == 0 }
  var count: Int { frames.count }

  mutating func append(_ frame: Frame) {
    if frame.isAuthorization { remove { $0.isAuthorization } }
    frames.append(frame)
    byteCount += frame.bytes.count
    while frames.count > maxFrames || byteCount > maxBytes {
      guard let oldest = frames.firstIndex(where: { !$0.isAuthorization }) else { return }
      byteCount -= frames.remove(at: oldest).bytes.count
      droppedCount += 1
    }
  }

  /// Takes out all that tells where the board is: nobody may know it any more.
  mutating func removeLocations() { remove { $0.containsLocation } }

  private mutating func remove(where matches: (Frame) -> Bool) {
    frames.removeAll(where: matches)
    byteCount = frames.reduce(0) { $0 + $1.bytes.count }
  }

  /// What is to be written next.
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
    line.string("message", "\(count) objects are missing here: they were read too slowly")
    line.constant("source", "server")
    line.integer("dropped", count)
    line.endObject()
    line.endLine()
    return Frame.event("ERROR", line.bytes)
  }
}

extension OutgoingQueue.Frame {
  /// An object as an event of the stream.
  static func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
    let end = json.last == UInt8(ascii: "\n") ? json.dropLast() : json[...]
    return ServerSentEvent(type: name, data: Array(end)).bytes
  }
}
