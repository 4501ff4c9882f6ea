// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A temporary file that is deleted with its last reference.
final class TemporaryFile: Sendable {
  let path: String

  init(_ bytes: [UInt8]) throws {
    var template = Array("/tmp/fixcast-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw ExpectationError("mkstemp: errno \(errno)") }
    path = String(
      decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw ExpectationError("write: errno \(errno)") }
  }

  deinit { unlink(path) }
}
