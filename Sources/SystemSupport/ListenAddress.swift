// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An IP address and a TCP port, written as `127.0.0.1:2947` or `[::1]:2947`.
package struct ListenAddress: Hashable, Sendable {
  /// The address in network byte order: 4 bytes of IPv4 or 16 bytes of IPv6.
  package let bytes: [UInt8]
  package let port: UInt16

  /// Parses an address; `nil` if the text is not an IP address with a port from 1 to 65535.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), case let digits = text[text.index(after: colon)...],
      digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits), port > 0
    else { return nil }
    var host = String(text[..<colon])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 2
    if isBracketed { host = String(host.dropFirst().dropLast()) }
    var bytes = [UInt8](repeating: 0, count: isBracketed ? 16 : 4)
    guard inet_pton(isBracketed ? AF_INET6 : AF_INET, host, &bytes) == 1 else { return nil }
    self.init(bytes: bytes, port: port)
  }

  /// Makes an address from 4 or 16 bytes.
  package init(bytes: [UInt8], port: UInt16) {
    self.bytes = bytes
    self.port = port
  }

  package var isIPv6: Bool { bytes.count == 16 }

  /// Whether only programs on this board can connect to the address.
  package var isLoopback: Bool {
    isIPv6 ? bytes == [UInt8](repeating: 0, count: 15) + [1] : bytes.first == 127
  }
}

extension ListenAddress: CustomStringConvertible {
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard
      inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(text.count)) != nil,
      let host = String(
        validating: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    else { return ":\(port)" }
    return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
