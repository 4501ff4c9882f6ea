// SPDX-License-Identifier: Apache-2.0

/// Bounds-checked access to numbers in the host's byte order.
extension ArraySlice<UInt8> {
  /// Returns the number at an offset from the start of the slice; `nil` if it is out of bounds.
  func number<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number? {
    let size = MemoryLayout<Number>.size
    guard offset >= 0, offset <= count - size else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  /// Returns the bytes from an offset on; empty if the offset is at or after the end.
  func dropping(_ offset: Int) -> ArraySlice<UInt8> { dropFirst(Swift.max(offset, 0)) }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }
}

/// Rounds a length up to four bytes, as netlink pads messages and attributes.
func netlinkAligned(_ length: Int) -> Int { (length &+ 3) & ~3 }
