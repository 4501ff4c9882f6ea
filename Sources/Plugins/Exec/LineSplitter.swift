// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into lines, of which none takes more memory than is allowed.
struct LineSplitter: Sendable {
  private let limit: Int
  private var line: [UInt8] = []
  private var isOverlong = false
  /// How many lines were too long, and are lost.
  private(set) var overlongCount: UInt64 = 0

  /// Makes a splitter for lines of so many bytes, their end not counted.
  init(limit: Int) { self.limit = max(limit, 1) }

  /// Takes bytes, and gives the lines that they complete, without their ends.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let line = end() { lines.append(line) }
      } else if line.count < limit {
        line.append(byte)
      } else {
        isOverlong = true
      }
    }
    return lines
  }

  /// Ends the stream: what is left is a line, where it is anything.
  mutating func finish() -> [UInt8]? { line.isEmpty ? nil : end() }

  private mutating func end() -> [UInt8]? {
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
