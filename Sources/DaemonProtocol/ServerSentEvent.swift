// SPDX-License-Identifier: Apache-2.0

/// A server-sent event (HTML standard, "Server-sent events").
public struct ServerSentEvent: Hashable, Sendable {
  /// The type; `message` if the stream does not specify one.
  public var type: String
  /// The data.
  ///
  /// Multiple data lines are joined with newlines.
  public var data: [UInt8]

  /// Creates an event.
  public init(type: String = "message", data: [UInt8]) {
    self.type = type
    self.data = data
  }

  /// The encoded event, including the empty line at its end.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(data.count + 16)
    if type != "message" {
      bytes += Array("event: ".utf8)
      bytes += type.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      bytes.append(UInt8(ascii: "\n"))
    }
    // Readers also treat a carriage return as a line end.
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
