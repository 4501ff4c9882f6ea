// SPDX-License-Identifier: Apache-2.0

/// The host and TCP port of a server.
package struct HostPort: Hashable, Sendable {
  package let host: Host
  package let port: UInt16

  /// Makes an address from a host and a port, which must not be 0.
  package init(host: Host, port: UInt16) throws(Host.Flaw) {
    guard port > 0 else { throw .hasNoPort }
    (self.host, self.port) = (host, port)
  }

  /// Parses `HOST`, `HOST:PORT`, `[IPV6]`, `[IPV6]:PORT`, or an IPv6 address without brackets.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - defaultPort: The port of a text without one; `nil` if the port is required.
  /// - Throws: The reason why the text is not an address.
  package init(_ text: String, defaultPort: UInt16?) throws(Host.Flaw) {
    var (host, digits) = (text[...], nil as Substring?)
    if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw .isNoAddress }
      if !rest.isEmpty { (host, digits) = (text[...end], rest.dropFirst()) }
    } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
      (host, digits) = (text[..<colon], text[text.index(after: colon)...])
    }
    self.host = try Host(String(host))
    // `UInt16(_:)` alone would also accept a sign.
    let isNumber = digits?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true
    guard isNumber, let port = digits.map({ UInt16($0) }) ?? defaultPort, port > 0 else {
      throw .hasNoPort
    }
    self.port = port
  }
}

extension HostPort: CustomStringConvertible {
  /// The address as `HOST:PORT`, with brackets around IPv6.
  package var description: String { "\(host):\(port)" }
}
