// SPDX-License-Identifier: Apache-2.0

/// What a URL that paths are appended to may not have: they would end up in it, or be cut off.
public enum BaseURLFlaw {
  /// Looks for what is too much.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - mayHaveQuery: Whether nothing is appended, so that a query does no harm.
  /// - Returns: What is there and what to do, such as `has a fragment, from # on; leave it out`,
  ///   without what it says: it may be a password; `nil` where nothing is.
  public static func description(of text: String, mayHaveQuery: Bool = false) -> String? {
    let afterScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
    let authority = afterScheme.prefix { !"/?#".contains($0) }
    if authority.contains("@") { return "has user info, up to @; leave it out" }
    let beforeFragment = text.prefix { $0 != "#" }
    if !mayHaveQuery, beforeFragment.contains("?") {
      return "has a query, from ? on; leave it out"
    }
    return beforeFragment.count < text.count ? "has a fragment, from # on; leave it out" : nil
  }
}
