// SPDX-License-Identifier: Apache-2.0

/// The attributes of a message, keyed by type.
///
/// Format: length including the header (2 bytes), type (2), value, padding. If several attributes
/// have the same type, the last one is used, as in the kernel.
struct NetlinkAttributes: Sendable {
  private var values: [UInt16: ArraySlice<UInt8>] = [:]

  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let length = rest.number(at: 0, as: UInt16.self).map(Int.init),
      let type = rest.number(at: 2, as: UInt16.self), length >= 4, length <= rest.count
    {
      // The two top bits are the flags "nested" and "network byte order".
      values[type & 0x3FFF] = rest.prefix(length).dropping(4)
      rest = rest.dropping(netlinkAligned(length))
    }
  }

  func bytes(_ type: Int) -> ArraySlice<UInt8>? {
    UInt16(exactly: type).flatMap { values[$0] }
  }

  func number(_ type: Int) -> UInt32? { bytes(type)?.number(at: 0, as: UInt32.self) }

  /// Returns a zero-terminated text.
  func text(_ type: Int) -> String? {
    bytes(type).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  func nested(_ type: Int) -> NetlinkAttributes? { bytes(type).map(NetlinkAttributes.init) }
}
