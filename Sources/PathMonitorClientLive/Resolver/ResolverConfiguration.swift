// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// Reads `/etc/resolv.conf`.
enum ResolverConfiguration {
  /// Returns whether a name server is configured.
  static func hasNameserver(path: String = "/etc/resolv.conf") -> Bool {
    BoundedFile.text(path).map(hasNameserver(in:)) ?? false
  }

  static func hasNameserver(in text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains { line in
      let words = line.split(separator: " ", maxSplits: 2).flatMap { $0.split(separator: "\t") }
      return words.first == "nameserver" && words.count > 1
    }
  }
}
