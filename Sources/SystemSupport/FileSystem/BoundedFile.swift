// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Reads complete files up to a maximum size.
package enum BoundedFile {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - limit: The maximum size in bytes.
  /// - Returns: The bytes of the file.
  /// - Throws: ``FileFailure``; the error is `EFBIG` if the file is larger than `limit`, `EISDIR`
  ///   for a folder, and `EINVAL` for any other file that is not regular. Symbolic links are
  ///   followed.
  package static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
    try read(path, limit: limit) { _ in }
  }

  /// Reads a text file, such as one in /proc; `nil` if it cannot be read or has more than 64 KiB.
  package static func text(_ path: String) -> String? {
    (try? read(path, limit: 65_536)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a file, and passes the result of its fstat(2) to a closure.
  package static func read(
    _ path: String, limit: Int, inspect: (stat) -> Void
  ) throws(FileFailure) -> [UInt8] {
    // O_NONBLOCK: opening a named pipe must not wait for its other end.
    let descriptor = try FileFailure.check(path, "open") {
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    defer { Glibc.close(descriptor) }
    var status = stat()
    try FileFailure.check(path, "fstat") { fstat(descriptor, &status) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw FileFailure(path: path, call: "read", number: EISDIR)
    default: throw FileFailure(path: path, call: "read", number: EINVAL)
    }
    inspect(status)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
    while bytes.count <= limit {
      let count = try FileFailure.check(path, "read") {
        chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { return bytes }
      bytes += chunk.prefix(count)
    }
    throw FileFailure(path: path, call: "read", number: EFBIG)
  }
}
