// SPDX-License-Identifier: Apache-2.0

/// Reads numbers in the host's byte order out of bytes that may end anywhere.
extension ArraySlice<UInt8> {
  /// The number at an offset from the slice's beginning; `nil` where it does not lie within it.
  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard offset >= 0, offset <= count - size else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  /// The bytes from an offset on; empty where there are none.
  func dropping(_ offset: Int) -> ArraySlice<UInt8> { dropFirst(Swift.max(offset, 0)) }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }
}

/// Netlink pads messages and attributes to four bytes.
func netlinkAligned(_ length: Int) -> Int { (length &+ 3) & ~3 }
