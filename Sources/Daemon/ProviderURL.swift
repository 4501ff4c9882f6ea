// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import FoundationEssentials

/// The base URL of a provider, as far as it can be judged without asking.
package enum ProviderURL {
  /// Whether a text is a URL of HTTP with a host and nothing that a path could not stand behind.
  ///
  /// Returns whether ``flaw(of:mayHaveQuery:)`` finds nothing.
  package static func isUsable(_ text: String) -> Bool { flaw(of: text) == nil }

  /// What is wrong with a text as a URL of HTTP with a host.
  ///
  /// - Parameters:
  ///   - text: The text, used as it is: nothing in it is escaped or mended.
  ///   - mayHaveQuery: Whether it is asked for as it stands, so that it may have a query.
  /// - Returns: What, as goes on after the name of an option: the scheme is another, the host is
  ///   missing, the port is none, anything is in it that no URL has, or user info, a query or a
  ///   fragment; `nil` where nothing is.
  package static func flaw(of text: String, mayHaveQuery: Bool = false) -> String? {
    if let flaw = BaseURLFlaw.description(of: text, mayHaveQuery: mayHaveQuery) { return flaw }
    return hasHost(text) ? nil : "takes a URL with http:// or https:// and a host, not \(text)"
  }

  private static func hasHost(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let url = URL(string: text), let host = url.host(), !host.isEmpty,
      let scheme = url.scheme?.lowercased()
    else { return false }
    return ["http", "https"].contains(scheme) && (url.port.map { 1...65_535 ~= $0 } ?? true)
  }
}
