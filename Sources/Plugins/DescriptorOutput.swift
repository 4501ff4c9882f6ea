// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file descriptor that sinks write to, such as standard output.
package struct DescriptorOutput: Sendable {
  /// A write that failed.
  package struct Failure: Error, CustomStringConvertible {
    /// The error number (`errno`).
    package let number: Int32
    /// The error in one line.
    package var description: String { "write: \(String(cString: strerror(number)))" }
  }

  private let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether the descriptor is a terminal with colours and `NO_COLOR` is not set (no-color.org).
  package var wantsColor: Bool {
    guard isatty(descriptor) == 1 else { return false }
    if let name = getenv("TERM"), strcmp(name, "dumb") == 0 { return false }
    guard let noColor = getenv("NO_COLOR") else { return true }
    return noColor.pointee == 0
  }

  /// Writes all bytes; waits while the descriptor is not ready.
  ///
  /// - Throws: ``Failure`` if the write fails, for example because the reader has closed the pipe.
  package func write(_ bytes: [UInt8]) throws(Failure) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        return Glibc.write(descriptor, base + offset, buffer.count - offset)
      }
      if count >= 0 {
        offset += count
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, 1000)
      } else if errno != EINTR {
        throw Failure(number: errno)
      }
    }
  }
}
