// SPDX-License-Identifier: Apache-2.0

internal import SystemSupport

/// What `/etc/resolv.conf` says, as far as anybody needs it here.
enum ResolverConfiguration {
  /// Whether there is anyone to ask for names.
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
