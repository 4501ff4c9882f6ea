// SPDX-License-Identifier: Apache-2.0

/// An IP address and a TCP port, written as `127.0.0.1:2947` or `[::1]:2947`.
package struct ListenAddress: Hashable, Sendable {
  package let address: IPAddress
  package let port: UInt16

  /// Parses an address; `nil` if the text is not an IP address with a port from 1 to 65535.
  package init?(_ text: String) {
    guard let server = try? HostPort(text, defaultPort: nil), let address = server.host.address,
      !server.host.hasZone
    else { return nil }
    self.init(bytes: address.bytes, port: server.port)
  }

  /// Makes an address from 4 or 16 bytes.
  package init(bytes: [UInt8], port: UInt16) {
    address = IPAddress(bytes: bytes)
    self.port = port
  }

  package var bytes: [UInt8] { address.bytes }

  package var isIPv6: Bool { address.isIPv6 }

  /// Whether only programs on this board can connect to the address.
  package var isLoopback: Bool { address.isLoopback }
}

extension ListenAddress: CustomStringConvertible {
  package var description: String { isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)" }
}
