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

extension JSONLine {
  /// Writes a text, escaped.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The text; `nil` leaves the field out.
  public mutating func string(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    // No byte grows to more than `\u00XX`.
    append(atMost: key.utf8CodeUnitCount + 3 + value.utf8.count * 6 + 3) { end in
      end.key(key)
      end.put(.quote)
      for byte in value.utf8 { end.put(escaped: byte) }
      end.put(.quote)
      end.put(.comma)
    }
  }

  /// Writes a text as an element of an array, escaped.
  public mutating func element(_ value: String) {
    append(atMost: value.utf8.count * 6 + 3) { end in
      end.put(.quote)
      for byte in value.utf8 { end.put(escaped: byte) }
      end.put(.quote)
      end.put(.comma)
    }
  }

  /// Writes a moment as `2009-07-24T10:47:06.000Z`: milliseconds, or more where there are more.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The moment; `nil`, or a year that ISO 8601 cannot name in four digits, leaves the
  ///     field out.
  public mutating func time(_ key: StaticString, _ value: UTCTime?) {
    append(atMost: key.utf8CodeUnitCount + 37) { $0.time(key, value) }
  }

  /// Writes a date as `2009-07-24`.
  ///
  /// - Parameters:
  ///   - key: The field's name.
  ///   - value: The date; `nil`, or a year beyond four digits, leaves the field out.
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
  /// At most 34 bytes.
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
