// SPDX-License-Identifier: Apache-2.0

/// A buffer for JSON objects, one per line, that needs no allocation per object.
///
/// The output has no space after `:` or `,`, because the parser of libgps rejects such a space.
/// Every field takes an optional value; `nil` omits the field. The owner of the buffer outputs
/// ``bytes`` and calls ``removeAll()``.
///
/// Each field is followed by a comma, and the end of an object or line removes the last comma.
public struct JSONLine: Sendable {
  /// The bytes written since the last ``removeAll()``.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty buffer.
  ///
  /// - Parameter capacity: The number of bytes to reserve; the buffer grows if necessary.
  public init(reservingCapacity capacity: Int = 4096) {
    bytes.reserveCapacity(capacity)
  }

  /// Removes all bytes and keeps the memory.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  // MARK: Objects

  /// Begins an object on a new line or as an element of an array.
  public mutating func beginObject() { bytes.append(.openBrace) }

  /// Begins an object as a field.
  ///
  /// - Parameter key: The name of the field, in ASCII; it is not escaped.
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

  /// Writes a Boolean; `nil` omits the field.
  public mutating func boolean(_ key: StaticString, _ value: Bool?) {
    append(atMost: key.utf8CodeUnitCount + 9) { $0.boolean(key, value) }
  }

  /// Writes an integer; `nil` omits the field.
  public mutating func integer(_ key: StaticString, _ value: Int?) {
    append(atMost: key.utf8CodeUnitCount + 24) { $0.integer(key, value) }
  }

  /// Writes a fixed text, without escaping it.
  public mutating func constant(_ key: StaticString, _ value: StaticString) {
    append(atMost: key.utf8CodeUnitCount + value.utf8CodeUnitCount + 6) { $0.constant(key, value) }
  }

  /// Writes `null`.
  package mutating func null(_ key: StaticString) {
    append(atMost: key.utf8CodeUnitCount + 8) { end in
      end.key(key)
      for byte in "null,".utf8 { end.put(byte) }
    }
  }

  /// Appends at most `length` bytes, which `body` writes through a raw write position.
  ///
  /// Seven more bytes are reserved, because small numbers are stored as words of eight bytes.
  @inline(__always)
  mutating func append(atMost length: Int, _ body: (inout UnsafeMutablePointer<UInt8>) -> Void) {
    bytes.append(addingCapacity: length &+ 7) { span in
      span.withUnsafeMutableBufferPointer { buffer, count in
        guard let start = buffer.baseAddress else { return }
        var end = start + count
        body(&end)
        count = end - start
      }
    }
  }
}

extension JSONLine {
  /// Writes a text with escapes; `nil` omits the field.
  public mutating func string(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    // The longest escape of a byte is `\u00XX`.
    append(atMost: key.utf8CodeUnitCount + 3 + value.utf8.count * 6 + 3) { end in
      end.key(key)
      end.put(.quote)
      for byte in value.utf8 { end.put(escaped: byte) }
      end.put(.quote)
      end.put(.comma)
    }
  }

  /// Writes a text with escapes as an element of an array.
  public mutating func element(_ value: String) {
    append(atMost: value.utf8.count * 6 + 3) { end in
      end.put(.quote)
      for byte in value.utf8 { end.put(escaped: byte) }
      end.put(.quote)
      end.put(.comma)
    }
  }

  /// Writes a time as `2009-07-24T10:47:06.000Z`, with 3 to 9 digits of the second.
  ///
  /// `nil`, or a year outside 0 to 9999, omits the field.
  public mutating func time(_ key: StaticString, _ value: UTCTime?) {
    append(atMost: key.utf8CodeUnitCount + 37) { $0.time(key, value) }
  }

  /// Writes a date as `2009-07-24`; `nil`, or a year outside 0 to 9999, omits the field.
  public mutating func date(_ key: StaticString, _ value: UTCDate?) {
    guard let (year, month, day) = value?.civil, (0...9999).contains(year) else { return }
    append(atMost: key.utf8CodeUnitCount + 3 + 13) { end in
      end.key(key)
      end.put(.quote)
      end.put(year, month, day)
      end.put(.quote)
      end.put(.comma)
    }
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// Writes a time field: at most 34 bytes.
  @inline(__always)
  mutating func time(_ key: StaticString, _ value: UTCTime?) {
    guard let value else { return }
    let (year, month, day) = value.date.civil
    guard (0...9999).contains(year) else { return }
    let clock = value.timeOfDay
    self.key(key)
    put(.quote)
    put(year, month, day)
    put(UInt8(ascii: "T"))
    put(UInt64(clock.hour), digits: 2)
    put(.colon)
    put(UInt64(clock.minute), digits: 2)
    put(.colon)
    put(UInt64(clock.second), digits: 2)
    put(.point)
    let fraction = self
    put(UInt64(clock.nanosecond), digits: 9)
    while self - fraction > 3, (self - 1).pointee == .zero { self -= 1 }
    put(UInt8(ascii: "Z"))
    put(.quote)
    put(.comma)
  }

  @inline(__always)
  fileprivate mutating func put(_ year: Int, _ month: Int, _ day: Int) {
    put(UInt64(truncatingIfNeeded: year), digits: 4)
    put(.minus)
    put(UInt64(truncatingIfNeeded: month), digits: 2)
    put(.minus)
    put(UInt64(truncatingIfNeeded: day), digits: 2)
  }

  @inline(__always)
  fileprivate mutating func put(escaped byte: UInt8) {
    switch byte {
    case .quote, .backslash:
      put(.backslash)
      put(byte)
    case 0x20...: put(byte)
    default: putControl(byte)
    }
  }

  private mutating func putControl(_ byte: UInt8) {
    put(.backslash)
    switch byte {
    case 0x08: put(UInt8(ascii: "b"))
    case 0x09: put(UInt8(ascii: "t"))
    case 0x0A: put(UInt8(ascii: "n"))
    case 0x0C: put(UInt8(ascii: "f"))
    case 0x0D: put(UInt8(ascii: "r"))
    default:
      put(UInt8(ascii: "u"))
      put(.zero)
      put(.zero)
      put(.zero &+ byte >> 4)
      let low = byte & 15
      put(low < 10 ? .zero &+ low : UInt8(ascii: "a") &+ low &- 10)
    }
  }
}
