// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable {
  /// The address in network byte order: 4 bytes of IPv4 or 16 bytes of IPv6.
  package let bytes: [UInt8]

  /// Makes an address from 4 or 16 bytes.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Parses an address without brackets and without a zone; `nil` for any other text.
  package init?(_ text: String) {
    // inet_pton(3) would ignore what follows a zero.
    guard !text.utf8.contains(0) else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      guard inet_pton(family, text, &bytes) == 1 else { continue }
      self.bytes = bytes
      return
    }
    return nil
  }

  package var isIPv6: Bool { bytes.count == 16 }

  /// Whether the address is 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    isIPv6 ? bytes == [UInt8](repeating: 0, count: 15) + [1] : bytes.first == 127
  }

  /// The IPv4 address if this is an IPv4-mapped address, whose packets are IPv4; otherwise itself.
  package var unmapped: IPAddress {
    let isMapped = isIPv6 && bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
    return isMapped ? IPAddress(bytes: Array(bytes.suffix(4))) : self
  }
}

extension IPAddress: CustomStringConvertible {
  /// The shortest text of the address, without brackets.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count)) != nil else {
      return ""
    }
    return String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
