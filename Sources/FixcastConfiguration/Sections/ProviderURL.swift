// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import SystemSupport

/// Syntax checks for the base URL of a provider.
///
/// No connection is made.
package enum ProviderURL {
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
    if let flaw = syntaxFlaw(of: text, mayHaveQuery: mayHaveQuery) { return flaw }
    return hasHost(text) ? nil : "takes a URL with http:// or https:// and a host, not \(text)"
  }

  /// Describes a flaw of the user information, the port, the query or the fragment.
  static func syntaxFlaw(of text: String, mayHaveQuery: Bool = false) -> String? {
    let afterScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let authority = afterScheme.prefix { !"/?#".contains($0) }
    if authority.contains("@") { return "has user info before @; remove it" }
    let afterHost = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
    if let colon = afterHost.lastIndex(of: ":") {
      let port = afterHost[afterHost.index(after: colon)...]
      if port.isEmpty {
        return "has a colon without a port; remove it, or add a port from 1 to 65535"
      }
      guard let number = Int(port), 1...65_535 ~= number else {
        return "has the port \(port); ports are 1 to 65535"
      }
    }
    let beforeFragment = text.prefix { $0 != "#" }
    if !mayHaveQuery, beforeFragment.contains("?") {
      return "has a query after ?; remove it"
    }
    return beforeFragment.count < text.count ? "has a fragment after #; remove it" : nil
  }

  /// The host of a URL; `nil` if the URL is invalid or has no host.
  package static func host(of url: String) -> String? {
    URL(string: url)?.host().flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether others on the network can read the requests to a base URL.
  static func isCleartext(_ url: String) -> Bool {
    guard url.lowercased().hasPrefix("http://") else { return false }
    guard let host = host(of: url) else { return true }
    return (try? Host(host))?.isLoopback != true && !host.lowercased().hasSuffix(".localhost")
  }

  private static func hasHost(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), host(of: text) != nil,
      let scheme = URL(string: text)?.scheme?.lowercased()
    else { return false }
    return ["http", "https"].contains(scheme)
  }
}
