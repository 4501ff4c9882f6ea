// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Reads small files whole, and large ones not at all.
package enum BoundedFile {
  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - limit: How many bytes there may be.
  /// - Returns: Its bytes.
  /// - Throws: ``FileFailure``; `EFBIG` where there are more than `limit`, `EINVAL` for what is
  ///   neither a file nor a symbolic link to one.
  package static func read(_ path: String, limit: Int) throws(FileFailure) -> [UInt8] {
    try read(path, limit: limit) { _ in }
  }

  /// Reads the text of a small file of the system.
  ///
  /// - Returns: The text; `nil` for a file that cannot be read or has more than 64 KiB.
  package static func text(_ path: String) -> String? {
    (try? read(path, limit: 65_536)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a file, and passes on the fstat(2) of the file that is read.
  package static func read(
    _ path: String, limit: Int, inspect: (stat) -> Void
  ) throws(FileFailure) -> [UInt8] {
    // Never waits for the other end of a pipe that lies there instead of a file.
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
