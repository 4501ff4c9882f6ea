// SPDX-License-Identifier: Apache-2.0

/// Splits the bytes of a gpsd client into requests.
///
/// A request begins with `?`. It ends at `;`, at a line ending before its JSON argument, or with
/// the bracket that closes the argument, because gps3 sends neither `;` nor a line ending. Input
/// outside requests is ignored, as in gpsd. An incomplete request is kept until its rest arrives;
/// gpsd answers it with an error.
package struct GPSDRequestScanner: Sendable {
  /// A result of scanning.
  package enum Element: Equatable, Sendable {
    /// A complete request without its terminator; its JSON argument may be invalid.
    case request([UInt8])
    /// A request of more than ``GPSDRequestScanner/maxBytes`` bytes, which is discarded.
    case tooLong
  }

  private enum State: Equatable {
    /// Between requests.
    case idle
    /// In the name of a request.
    case name
    /// In the JSON argument of a request.
    case argument(depth: Int, isInString: Bool, isEscaped: Bool)
    /// In the rest of a request that is too long.
    case discarding
  }

  /// The maximum size of a request.
  package static let maxBytes = 4096
  /// The maximum nesting of a JSON argument; a deeper argument ends there and is invalid.
  static let maxDepth = 16

  private var state = State.idle
  private var buffer: [UInt8] = []

  /// Makes a scanner.
  package init() {}

  /// The size of the incomplete request.
  package var pendingByteCount: Int { buffer.count }

  /// Returns the next request, and removes its bytes from the input.
  ///
  /// Returns `nil` if the input ends before the request does. The input is then empty.
  package mutating func next(from input: inout ArraySlice<UInt8>) -> Element? {
    while let byte = input.first {
      let element = take(byte)
      // The byte belongs to the next request if it has ended this request too early.
      if element == nil || byte != UInt8(ascii: "?") { input.removeFirst() }
      if let element { return element }
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) -> Element? {
    switch state {
    case .idle:
      guard byte == UInt8(ascii: "?") else { return nil }
      state = .name
      buffer.append(byte)
      return nil
    case .name: return takeName(byte)
    case .argument(let depth, let isInString, let isEscaped):
      return takeArgument(byte, depth: depth, isInString: isInString, isEscaped: isEscaped)
    case .discarding:
      if Self.endsRequest(byte) { state = .idle }
      return nil
    }
  }

  private mutating func takeName(_ byte: UInt8) -> Element? {
    if Self.endsRequest(byte) { return complete() }
    let isArgument =
      byte == UInt8(ascii: "{")
      && buffer.last { $0 != UInt8(ascii: " ") } == UInt8(ascii: "=")
    if isArgument { state = .argument(depth: 1, isInString: false, isEscaped: false) }
    return append(byte)
  }

  private mutating func takeArgument(
    _ byte: UInt8, depth: Int, isInString: Bool, isEscaped: Bool
  ) -> Element? {
    if isInString {
      // A JSON string contains no line ending.
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return complete() }
      let ends = byte == UInt8(ascii: "\"") && !isEscaped
      state = .argument(
        depth: depth, isInString: !ends, isEscaped: byte == UInt8(ascii: "\\") && !isEscaped)
      return append(byte)
    }
    var depth = depth
    switch byte {
    // Neither byte can occur outside a string, so the client has not completed the argument.
    case UInt8(ascii: ";"), UInt8(ascii: "?"): return complete()
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
    state = .argument(depth: depth, isInString: byte == UInt8(ascii: "\""), isEscaped: false)
    let element = append(byte)
    return element ?? (depth == 0 || depth > Self.maxDepth ? complete() : nil)
  }

  private mutating func append(_ byte: UInt8) -> Element? {
    guard buffer.count < Self.maxBytes else {
      buffer.removeAll()
      state = .discarding
      return .tooLong
    }
    buffer.append(byte)
    return nil
  }

  private mutating func complete() -> Element {
    defer {
      buffer.removeAll()
      state = .idle
    }
    return .request(buffer)
  }

  private static func endsRequest(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
