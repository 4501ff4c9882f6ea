// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small text file of the system's.
enum TextFile {
  /// Far more than any configuration; what is longer is cut.
  private static let mostBytes = 65_536

  /// The text; `nil` where the file cannot be read.
  static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { SystemCall.close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < mostBytes {
      let count = try? SystemCall.run("read") {
        buffer.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      }
      guard let count else { return nil }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
