// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where a gpsd runs, as far as it can be judged without asking.
///
/// As the source judges it that opens the connection: what is refused there is to be refused when
/// the file is read, where the line is known.
enum GPSDHost {
  private static let mostBytes = 253

  /// A host as it is used: an IPv6 address without the brackets in which it is shown.
  static func plain(_ text: String) -> String {
    guard text.hasPrefix("["), text.hasSuffix("]") else { return text }
    let address = String(text.dropFirst().dropLast())
    // Brackets about anything else are a mistake, and told as one.
    return isIPv6(address) ? address : text
  }

  /// What is wrong with a host and what to write, for people; `nil` where nothing is.
  static func fault(of host: String) -> String? {
    if host.isEmpty { return "is empty; write a name or an address, or leave this out" }
    if host.contains(":") || host.contains("[") || host.contains("]") {
      return isIPv6(host)
        ? nil : "is neither a name nor an address; an IPv6 address is written as host = \"::1\""
    }
    let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    if !isPlain { return "is neither a name nor an address: there are no blanks in one" }
    return host.utf8.count > mostBytes
      ? "is longer than a name can be, which is \(mostBytes) characters" : nil
  }

  /// Whether a text is an IPv6 address, with a zone such as `%eth0` or without.
  private static func isIPv6(_ text: String) -> Bool {
    guard text.utf8.count <= mostBytes,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != 0x5B && $0 != 0x5D })
    else { return false }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first, parts.count == 1 || parts.last?.isEmpty == false else {
      return false
    }
    var bytes = in6_addr()
    return inet_pton(AF_INET6, String(address), &bytes) == 1
  }
}
