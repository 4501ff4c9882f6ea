// SPDX-License-Identifier: Apache-2.0

/// The two digits of each number below 100, as two bytes of a word, the first in the lowest byte.
enum DigitPairs {
  private static let text: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """

  /// The digits of a number below 100; a larger number is treated as 99.
  @inline(__always)
  static subscript(value: UInt32) -> UInt16 {
    let offset = Int(min(value, 99)) &* 2
    return UInt16(
      littleEndian: UnsafeRawPointer(text.utf8Start).loadUnaligned(
        fromByteOffset: offset, as: UInt16.self))
  }
}
