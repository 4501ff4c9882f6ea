// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a line: the kind, where, and the text that was found there.
public struct SentenceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of wrong.
  public enum Kind: Equatable, Sendable {
    /// The bytes do not add up to the checksum: noise, or a lost byte.
    case checksumMismatch(computed: UInt8, found: UInt8)
    /// There is no checksum.
    case missingChecksum
    /// The line does not begin with an address and a comma.
    case malformedAddress
    /// Digits were expected.
    case malformedNumber
    /// A number is outside its range.
    case outOfRange
    /// `hhmmss` was expected.
    case malformedTime
    /// `ddmmyy` or `ddmmyyyy` was expected.
    case malformedDate
    /// A letter stands where another one must: fields are shifted or missing.
    case unexpectedLetter
  }

  /// The kind.
  public let kind: Kind

  /// The line it stands in, from 1.
  public let lineNumber: Int

  /// The address of the sentence; `nil` where there is none to be read.
  public let address: SentenceAddress?

  /// The number of the field, from 1 behind the address; `nil` where it is not about a field.
  public let field: Int?

  /// What stood there, up to 24 bytes.
  public let value: RawValue

  /// Whether the sentence was refused.
  ///
  /// Otherwise only that field is unknown.
  public let isRefusal: Bool

  /// One line for a log.
  public var description: String {
    var text = "line \(lineNumber)"
    if let address { text += ", \(address)" }
    if let field { text += " field \(field)" }
    text += ": " + explanation
    return value.count > 0 ? text + " \"\(value)\"" : text
  }

  /// A checksum as it stands in a sentence.
  private static func digits(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return byte < 0x10 ? "0" + digits : digits
  }

  private var explanation: String {
    switch kind {
    case .checksumMismatch(let computed, let found):
      "checksum is \(Self.digits(found)), the bytes give \(Self.digits(computed))"
    case .missingChecksum: "no checksum"
    case .malformedAddress: "no address"
    case .malformedNumber: "not a number"
    case .outOfRange: "out of range"
    case .malformedTime: "not a time of day"
    case .malformedDate: "not a date"
    case .unexpectedLetter: "unexpected letter"
    }
  }
}
