// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What `/etc/resolv.conf` says, as far as anybody needs it here.
enum ResolverConfiguration {
  /// Whether there is anyone to ask for names.
  static func hasNameserver(path: String = "/etc/resolv.conf") -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // resolv.conf(5) knows three name servers; 64 KiB are more than any comment around them.
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(descriptor, &buffer, buffer.count)
    return count > 0 && hasNameserver(in: String(decoding: buffer.prefix(count), as: UTF8.self))
  }

  static func hasNameserver(in text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).contains { line in
      let words = line.split(separator: " ", maxSplits: 2).flatMap { $0.split(separator: "\t") }
      return words.first == "nameserver" && words.count > 1
    }
  }
}
