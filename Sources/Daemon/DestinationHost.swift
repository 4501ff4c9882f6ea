// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import PathMonitorClientLive

/// The name or address of a host, as far as it can be judged without asking.
package enum DestinationHost {
  /// Whether a text is a name or an address: RFC 1123, section 2.1, and underscores, which names on
  /// local networks have.
  ///
  /// Returns false where it is a URL, has a port, is empty, or looks like an address and is none.
  package static func isUsable(_ text: String) -> Bool {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    if isBracketed || text.contains(":") { return text.contains(":") && isAddress(text) }
    let name = text.hasSuffix(".") ? text.dropLast() : text[...]
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.utf8.count <= 253, let last = labels.last else { return false }
    // No top-level domain is a number: what ends in one is meant to be an address.
    if last.utf8.allSatisfy(isDigit) { return !last.isEmpty && isAddress(String(name)) }
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { byte in
          isDigit(byte) || (0x61...0x7A).contains(byte | 0x20)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
  }

  /// The host of a URL.
  ///
  /// Returns the host; `nil` where there is none.
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
