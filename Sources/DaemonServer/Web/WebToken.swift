// SPDX-License-Identifier: Apache-2.0

/// A secret of 256 bits that a browser presents: the token of a link or of a session.
struct WebToken: Equatable, Sendable {
  /// The token as 64 hexadecimal digits.
  let text: String

  /// Creates a token from random bits.
  init(using generator: inout some RandomNumberGenerator) {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    for _ in 0..<4 {
      let word = UInt64.random(in: .min ... .max, using: &generator)
      for shift in stride(from: 60, through: 0, by: -4) {
        bytes.append(digits[Int(word >> UInt64(shift) & 0xF)])
      }
    }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether a text is this token.
  ///
  /// The time of the comparison does not depend on the number of digits that are correct.
  func matches(_ other: some StringProtocol) -> Bool {
    let (expected, actual) = (text.utf8, other.utf8)
    guard expected.count == actual.count else { return false }
    return zip(expected, actual).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
