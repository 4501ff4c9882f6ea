// SPDX-License-Identifier: Apache-2.0

/// A buffer into which JSON objects are written, one a line, without an allocation an object.
///
/// Compact as libgps's parser wants it (no space after `:` or `,`). Every field takes an optional:
/// what is unknown is left out. Nothing here knows a clock or a descriptor; whoever owns the
/// buffer writes ``bytes`` out and calls ``removeAll()``.
///
/// Each field is written with a comma after it, and the end of an object or line takes the last
/// one away again: so no field has to ask whether it is the first.
public struct JSONLine: Sendable {
  /// What has been written and not been removed.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty buffer.
  ///
  /// - Parameter capacity: How many bytes to reserve; the buffer grows where that is too little.
  public init(reservingCapacity capacity: Int = 4096) {
    bytes.reserveCapacity(capacity)
  }

  /// Forgets what was written and keeps the memory.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Objects

  /// Begins an object as a line of its own or as an element of an array.
  public mutating func beginObject() { bytes.append(.openBrace) }

  /// Begins an object as a field.
  ///
  /// - Parameter key: The field's name; written as it is, so plain ASCII.
  public mutating func beginObject(_ key: StaticString) {
    append(atMost: key.utf8CodeUnitCount + 4) {
      $0.key(key)
      $0.put(.openBrace)
    }
  }

  /// Begins an array as a field.
  public mutating func beginArray(_ key: StaticString) {
    append(atMost: key.utf8CodeUnitCount + 4) {
      $0.key(key)
      $0.put(.openBracket)
    }
  }

  /// Ends the object begun last.
  public mutating func endObject() { close(with: .closeBrace) }

  /// Ends the array begun last.
  public mutating func endArray() { close(with: .closeBracket) }

  /// Ends the line, after the object on it has ended.
  public mutating func endLine() {
    if bytes.last == .comma { bytes.removeLast() }
    bytes.append(.newline)
  }

  private mutating func close(with end: UInt8) {
    if bytes.last == .comma { bytes.removeLast() }
    bytes.append(end)
    bytes.append(.comma)
  }

  // MARK: Fields

  /// Writes a truth value.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The value; `nil` leaves the field out.
  public mutating func boolean(_ key: StaticString, _ value: Bool?) {
    append(atMost: key.utf8CodeUnitCount + 9) { $0.boolean(key, value) }
  }

  /// Writes a whole number.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The value; `nil` leaves the field out.
  public mutating func integer(_ key: StaticString, _ value: Int?) {
    append(atMost: key.utf8CodeUnitCount + 24) { $0.integer(key, value) }
  }

  /// Writes one of a few fixed texts.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The text; written as it is, so nothing that wants escaping.
  public mutating func constant(_ key: StaticString, _ value: StaticString) {
    append(atMost: key.utf8CodeUnitCount + value.utf8CodeUnitCount + 6) { $0.constant(key, value) }
  }

  /// Appends bytes through a raw write position.
  ///
  /// Reserves seven bytes more than `length`, because small numbers are stored as whole words.
  ///
  /// - Parameters:
  ///   - length: The most that `body` writes.
  ///   - body: Writes, and leaves the position after the last byte.
  @inline(__always)
  mutating func append(atMost length: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void) {
    bytes.append(addingCapacity: length &+ 7) { span in
      span.withUnsafeMutableBufferPointer { buffer, count in
        guard let base = buffer.baseAddress else { return }
        let start = base + count
        var end = start
        body(&end)
        count += end - start
      }
    }
  }
}
