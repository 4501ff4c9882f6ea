// SPDX-License-Identifier: Apache-2.0

/// Decides whether an environment variable, written as `NAME=value`, probably holds a secret.
enum SecretVariable {
  /// Texts in names that mark a secret.
  private static let marks = ["TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "APIKEY"]
  /// Words of names that mark a secret; words are separated by underscores.
  private static let words: Set<Substring> = [
    "KEY", "PASS", "PWD", "AUTH", "COOKIE", "DSN", "PSK", "PW", "PIN", "BEARER", "SAS",
  ]

  static func isLikely(_ text: String) -> Bool {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].uppercased()
    let nameWords = name.split(separator: "_")
    // A path, such as that in SSH_AUTH_SOCK, is no secret.
    if parts.count > 1, parts[1].hasPrefix("/"), let kind = nameWords.last,
      ["SOCK", "FILE", "PATH", "DIR"].contains(kind)
    {
      return false
    }
    if marks.contains(where: name.contains) || !words.isDisjoint(with: nameWords) {
      return true
    }
    return parts.count > 1 && hasPassword(inURL: parts[1])
  }

  /// Whether a value contains a URL with a user or a password, as in `scheme://user:word@host`.
  private static func hasPassword(inURL value: Substring) -> Bool {
    guard let scheme = value.firstRange(of: "://") else { return false }
    return value[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }.contains("@")
  }
}
