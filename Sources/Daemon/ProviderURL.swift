// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import FoundationEssentials

/// Syntax checks for the base URL of a provider.
///
/// No connection is made.
package enum ProviderURL {
  /// Whether ``flaw(of:mayHaveQuery:)`` finds no problem in a base URL.
  package static func isUsable(_ text: String) -> Bool { flaw(of: text) == nil }

  /// Describes why a text is not usable as an HTTP URL.
  ///
  /// Rejects another scheme, a missing host, an invalid port, characters that a URL must escape,
  /// user information, a query and a fragment.
  ///
  /// - Parameters:
  ///   - text: The URL, which is used unchanged.
  ///   - mayHaveQuery: Whether a query is allowed, because no path is appended to the URL.
  /// - Returns: The problem, worded to follow the option's name, such as "takes a URL with http://
  ///   or https:// and a host, not x"; `nil` if the URL is usable.
  package static func flaw(of text: String, mayHaveQuery: Bool = false) -> String? {
    if let flaw = BaseURLFlaw.description(of: text, mayHaveQuery: mayHaveQuery) { return flaw }
    return hasHost(text) ? nil : "takes a URL with http:// or https:// and a host, not \(text)"
  }

  /// The host of a URL; `nil` if the URL is invalid or has no host.
  package static func host(of url: String) -> String? {
    URL(string: url)?.host().flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func hasHost(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let url = URL(string: text), let host = url.host(), !host.isEmpty,
      let scheme = url.scheme?.lowercased()
    else { return false }
    return ["http", "https"].contains(scheme) && (url.port.map { 1...65_535 ~= $0 } ?? true)
  }
}
