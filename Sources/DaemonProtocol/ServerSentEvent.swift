// SPDX-License-Identifier: Apache-2.0

/// One event of a stream of server-sent events (HTML, "Server-sent events").
public struct ServerSentEvent: Hashable, Sendable {
  /// Its type; `message` where the stream names none.
  public var type: String
  /// Its data, several lines joined by newlines.
  public var data: [UInt8]

  /// Makes an event.
  public init(type: String = "message", data: [UInt8]) {
    self.type = type
    self.data = data
  }

  /// The event as it is sent, with the empty line that ends it.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(data.count + 16)
    if type != "message" {
      bytes += Array("event: ".utf8)
      bytes += type.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      bytes.append(UInt8(ascii: "\n"))
    }
    // A carriage return would end a line at the reader's.
    let lines = data.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    for line in lines {
      bytes += Array("data: ".utf8)
      bytes += line
      bytes.append(UInt8(ascii: "\n"))
    }
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }
}
