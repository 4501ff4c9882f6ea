// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import PathMonitorClientLive

/// Syntax checks for host names and addresses.
///
/// No name is resolved.
package enum DestinationHost {
  /// Whether a text is a valid host name or IP address.
  ///
  /// Names follow RFC 1123, section 2.1, and may also contain underscores, which occur on local
  /// networks. An empty text, a URL, a host with a port and a malformed address are invalid.
  package static func isUsable(_ text: String) -> Bool {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    if isBracketed || text.contains(":") { return text.contains(":") && isAddress(text) }
    let name = text.hasSuffix(".") ? text.dropLast() : text[...]
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.utf8.count <= 253, let last = labels.last else { return false }
    // No top-level domain is numeric, so a numeric last label is only valid in an IPv4 address.
    if last.utf8.allSatisfy(isDigit) { return !last.isEmpty && isAddress(String(name)) }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { byte in
          isDigit(byte) || (0x61...0x7A).contains(byte | 0x20)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
  }

  /// The host of a URL; `nil` if the URL is invalid or has no host.
  package static func host(ofURL url: String) -> String? {
    URL(string: url)?.host().flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func isAddress(_ text: String) -> Bool {
    switch PathDestination(host: text) {
    case .address, .loopback: true
    case .internet, .localNetwork: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
