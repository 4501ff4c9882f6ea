// SPDX-License-Identifier: Apache-2.0

/// An incremental parser of server-sent events with size limits.
///
/// Lines end with a newline, a carriage return, or a carriage return and a newline. Comments,
/// unknown fields, events without data and an incomplete event at the end of the stream are
/// ignored.
public struct ServerSentEventParser: Sendable {
  /// An error for a stream that exceeds a limit.
  public enum Failure: Error, Hashable, Sendable {
    /// A line is longer than the limit.
    case lineTooLong(limitBytes: Int)
    /// The data of an event is larger than the limit.
    case eventTooLarge(limitBytes: Int)
  }

  private let lineLimitBytes: Int
  private let eventLimitBytes: Int
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var type = ""
  private var endsWithReturn = false
  private var isFirstLine = true

  /// Creates a parser with limits for the length of a line and for the size of an event's data.
  public init(lineLimitBytes: Int = 1 << 18, eventLimitBytes: Int = 1 << 18) {
    self.lineLimitBytes = lineLimitBytes
    self.eventLimitBytes = eventLimitBytes
  }

  /// Parses a part of the stream, and passes each complete event to `take`.
  ///
  /// - Throws: ``Failure``, after which the parser cannot be used.
  public mutating func append(
    _ bytes: some Sequence<UInt8>, _ take: (ServerSentEvent) -> Void
  ) throws(Failure) {
    for byte in bytes {
      let followsReturn = endsWithReturn
      endsWithReturn = byte == 0x0D
      switch byte {
      case 0x0A where followsReturn: break
      case 0x0A, 0x0D: try endLine(take)
      default:
        guard line.count < lineLimitBytes else { throw .lineTooLong(limitBytes: lineLimitBytes) }
        line.append(byte)
      }
    }
  }

  private mutating func endLine(_ take: (ServerSentEvent) -> Void) throws(Failure) {
    var content = line[...]
    if isFirstLine, content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
    isFirstLine = false
    defer { line.removeAll(keepingCapacity: true) }
    guard !content.isEmpty else { return dispatch(take) }
    let colon = content.firstIndex(of: UInt8(ascii: ":"))
    let name = content[..<(colon ?? content.endIndex)]
    var value = colon.map { content[($0 + 1)...] } ?? []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    if name.elementsEqual("data".utf8) {
      guard data.count + value.count + 1 <= eventLimitBytes else {
        throw .eventTooLarge(limitBytes: eventLimitBytes)
      }
      if hasData { data.append(UInt8(ascii: "\n")) }
      data += value
      hasData = true
    } else if name.elementsEqual("event".utf8) {
      type = String(decoding: value, as: UTF8.self)
    }
  }

  private mutating func dispatch(_ take: (ServerSentEvent) -> Void) {
    defer {
      data = []
      hasData = false
      type = ""
    }
    guard hasData else { return }
    take(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data))
  }
}
