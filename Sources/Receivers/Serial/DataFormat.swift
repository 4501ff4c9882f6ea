// SPDX-License-Identifier: Apache-2.0

/// A format of 7 data bits in which the eighth bit of each byte is not data.
package enum DataFormat: String, CaseIterable, Sendable, CustomStringConvertible {
  /// The eighth bit makes the number of set bits even.
  case evenParity = "7E1"
  /// The eighth bit makes the number of set bits odd.
  case oddParity = "7O1"
  /// The eighth bit is always set, as a second stop bit or mark parity.
  case twoStopBits = "7N2"

  /// The format as text, such as `7E1 (7 data bits with even parity)`.
  package var description: String {
    switch self {
    case .evenParity: "7E1 (7 data bits with even parity)"
    case .oddParity: "7O1 (7 data bits with odd parity)"
    case .twoStopBits: "7N2 (7 data bits with two stop bits)"
    }
  }
}

extension DataFormat {
  /// Recognizes the format of text; `nil` for text of 8 data bits and for too few bytes.
  package init?(of bytes: [UInt8]) {
    var detector = DataFormatDetector()
    detector.take(bytes.span)
    guard let format = detector.format else { return nil }
    self = format
  }
}

/// Recognizes 7 data bits on a port that is read with 8 data bits.
///
/// Both formats take ten bits for a byte, so the lower seven bits are right. A wrong baud rate is not
/// mistaken for such a format, since all bytes must be text, with commas as in NMEA.
struct DataFormatDetector: Sendable {
  /// The number of successive bytes that must agree with the format.
  ///
  /// Bytes of noise before or after them do not prevent the recognition.
  static let bytesNeeded = 64
  /// The number of commas in these bytes.
  private static let commasNeeded = 2

  /// The recognized format; `nil` until a format is recognized.
  private(set) var format: DataFormat?

  private var count = 0
  private var oddCount = 0
  private var highBitCount = 0
  private var textCount = 0
  private var commaCount = 0

  init() {}

  /// Examines the next bytes unless a format is recognized.
  mutating func take(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      guard format == nil else { return }
      let byte = bytes[index]
      count &+= 1
      oddCount &+= byte.nonzeroBitCount & 1
      highBitCount &+= Int(byte >> 7)
      let character = byte & 0x7F
      if (0x20...0x7E).contains(character) || (0x09...0x0D).contains(character) {
        textCount &+= 1
      }
      if character == UInt8(ascii: ",") { commaCount &+= 1 }
      if count >= Self.bytesNeeded { endBlock() }
    }
  }

  private mutating func endBlock() {
    if textCount == count, commaCount >= Self.commasNeeded { format = recognized }
    (count, oddCount, highBitCount, textCount, commaCount) = (0, 0, 0, 0, 0)
  }

  private var recognized: DataFormat? {
    switch (highBitCount, oddCount) {
    // Text with 8 data bits and no parity.
    case (0, _): nil
    case (count, _): .twoStopBits
    case (_, 0): .evenParity
    case (_, count): .oddParity
    default: nil
    }
  }
}
