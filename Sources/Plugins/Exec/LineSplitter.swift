// SPDX-License-Identifier: Apache-2.0

/// Splits a stream of bytes into lines, with a limit on the length of a line.
struct LineSplitter: Sendable {
  private let limit: Int
  private var line: [UInt8] = []
  private var isOverlong = false
  /// The number of lines that were dropped because they were too long.
  private(set) var overlongCount: UInt64 = 0

  /// Creates a splitter for lines of at most `limit` bytes, excluding line ends.
  init(limit: Int) { self.limit = max(limit, 1) }

  /// Adds bytes and returns the lines that are now complete, without line ends.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let line = endLine() { lines.append(line) }
      } else if line.count < limit {
        line.append(byte)
      } else {
        isOverlong = true
      }
    }
    return lines
  }

  /// Ends the stream and returns the last line; `nil` if nothing is left or the line is too long.
  mutating func finish() -> [UInt8]? { line.isEmpty ? nil : endLine() }

  private mutating func endLine() -> [UInt8]? {
    defer {
      line.removeAll(keepingCapacity: true)
      isOverlong = false
    }
    if isOverlong {
      overlongCount &+= 1
      return nil
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
