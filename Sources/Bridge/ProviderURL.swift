// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The base URL of a provider, as far as it can be judged without asking.
public enum ProviderURL {
  /// Whether a text is a URL of HTTP with a host.
  ///
  /// - Parameter text: The text, used as it is: nothing in it is escaped or mended.
  /// - Returns: False where the scheme is another, the host is missing, the port is none, or
  ///   anything is in it that no URL has.
  public static func isUsable(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let url = URL(string: text), let host = url.host(), !host.isEmpty,
      let scheme = url.scheme?.lowercased()
    else { return false }
    return ["http", "https"].contains(scheme) && (url.port.map { 1...65_535 ~= $0 } ?? true)
  }
}
