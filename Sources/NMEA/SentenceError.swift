// SPDX-License-Identifier: Apache-2.0

/// An error in a line: its kind, its position and the text found there.
public struct SentenceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  public enum Kind: Equatable, Sendable {
    /// The checksum differs from the computed checksum, because of noise or a lost byte.
    case checksumMismatch(computed: UInt32, found: UInt32)
    /// The line has no checksum.
    case missingChecksum
    /// The line does not begin with an address and a comma.
    case malformedAddress
    /// A number was expected.
    case malformedNumber
    /// A number is outside its range.
    case outOfRange
    /// `hhmmss` was expected.
    case malformedTime
    /// `ddmmyy` or `ddmmyyyy` was expected.
    case malformedDate
    /// Another letter was expected, so fields may be shifted or missing.
    case unexpectedLetter
  }

  /// The kind of the error.
  public let kind: Kind

  /// The number of the line, from 1.
  public let lineNumber: Int

  /// The address of the sentence; `nil` if the line as a whole was refused.
  public let address: SentenceAddress?

  /// The number of the field after the address, from 1; `nil` if the line as a whole was refused.
  public let field: Int?

  /// The text of the field or line, up to 24 bytes.
  public let value: RawValue

  /// Whether the sentence was refused; if false, only the field is unknown.
  public let isRefusal: Bool

  /// The error as one line for a log.
  public var description: String {
    let text = "line \(lineNumber)\(address == nil ? ":" : ",") \(fault)"
    return value.count > 0 ? text + " \"\(value)\"" : text  // No trap: strings.
  }

  /// The sentence, the field and the reason, without the bytes, which may contain a position.
  public var fault: String {
    guard let address else { return explanation }
    guard let field else { return "\(address): \(explanation)" }
    return "\(address) field \(field): \(explanation)"
  }

  /// Formats a checksum as two hexadecimal digits, or more for a CRC.
  private static func digits(_ checksum: UInt32) -> String {
    let digits = String(checksum, radix: 16, uppercase: true)
    return checksum < 0x10 ? "0" + digits : digits  // No trap: strings.
  }

  private var explanation: String {
    switch kind {
    case .checksumMismatch(let computed, let found):
      "checksum is \(Self.digits(found)), computed \(Self.digits(computed))"
    case .missingChecksum: value.isAddressed ? "no checksum" : "not NMEA"
    case .malformedAddress: "no address"
    case .malformedNumber: "not a number"
    case .outOfRange: "out of range"
    case .malformedTime: "not a time of day"
    case .malformedDate: "not a date"
    case .unexpectedLetter: "unexpected letter"
    }
  }
}
