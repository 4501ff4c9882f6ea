// SPDX-License-Identifier: Apache-2.0

/// A host name or an IP address.
///
/// No name is resolved. Names follow RFC 1123, section 2.1, and may also contain underscores, which occur on local
/// networks. An IPv6 address may have a zone, such as `fe80::1%eth0`.
package struct Host: Hashable, Sendable {
  /// The reason why a text is not a host, or not a host with a port.
  package enum Flaw: Error, Equatable {
    case isEmpty
    case isTooLong
    /// A blank or a control character.
    case hasBlank
    /// Colons or brackets, but not an IPv6 address.
    case isNoAddress
    case isNoName
    /// A port that is missing, or not a number from 1 to 65535.
    case hasNoPort
  }

  /// The maximum length of a name in bytes.
  package static let maxBytes = 253

  /// The name or the address as written, without brackets.
  package let text: String
  /// The address without its zone; `nil` for a name.
  package let address: IPAddress?

  /// Parses a name, or an address with or without brackets around IPv6.
  package init(_ text: String) throws(Flaw) {
    guard !text.isEmpty else { throw .isEmpty }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .hasBlank }
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
    guard bare.utf8.count <= Self.maxBytes else { throw .isTooLong }
    self.text = bare
    if isBracketed || bare.utf8.contains(where: { ":[]".utf8.contains($0) }) {
      let parts = bare.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
      guard let address = IPAddress(String(parts[0])), address.isIPv6,
        parts.count == 1 || Self.isZone(parts[1])
      else { throw .isNoAddress }
      self.address = address
    } else {
      address = IPAddress(bare)
      guard address != nil || Self.isName(bare) else { throw .isNoName }
    }
  }

  private static func isName(_ text: String) -> Bool {
    let labels = (text.hasSuffix(".") ? text.dropLast() : text[...])
      .split(separator: ".", omittingEmptySubsequences: false)
    // No top-level domain is numeric, so such a text is an incomplete or wrong IPv4 address.
    guard labels.last?.utf8.allSatisfy({ (0x30...0x39).contains($0) }) == false else {
      return false
    }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy(isNameByte)
    }
  }

  /// Whether a text is the name of an interface that needs no quotes in a shell.
  private static func isZone(_ text: Substring) -> Bool {
    (1...15).contains(text.utf8.count)
      && text.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  /// Whether the address has a zone, which is the name of an interface.
  package var hasZone: Bool { address != nil && text.utf8.contains(UInt8(ascii: "%")) }

  /// Whether the host is this board: `localhost` or a loopback address.
  ///
  /// False for a name below `localhost`, which some resolvers look up in the DNS.
  package var isLoopback: Bool {
    if let address { return address.unmapped.isLoopback }
    return ["localhost", "localhost."].contains(text.lowercased())
  }
}

extension Host: CustomStringConvertible {
  /// The name or the address, with brackets around IPv6.
  package var description: String { address?.isIPv6 == true ? "[\(text)]" : text }
}
