// SPDX-License-Identifier: Apache-2.0

/// A base URL whose requests others on the network can read.
enum CleartextURL {
  /// Whether requests leave this machine without encryption.
  static func isOne(_ url: String) -> Bool {
    let scheme = "http://"
    guard url.lowercased().hasPrefix(scheme) else { return false }
    let authority = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let address = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let host =
      address.hasPrefix("[")
      ? address.prefix { $0 != "]" }.dropFirst() : address.prefix { $0 != ":" }
    return !isLoopback(host.lowercased())
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
  }
}
