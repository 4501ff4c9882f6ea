// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// A file, or standard input, read in chunks so that memory stays flat.
struct InputFile {
  static let chunkSize = 65_536

  /// What messages call it.
  let name: String
  private let descriptor: Int32

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameter path: Its path.
  /// - Throws: `ExitCode` 66 where it is not there, not readable, or a directory.
  init(path: String) throws {
    guard path != "-" else {
      name = "standard input"
      descriptor = STDIN_FILENO
      return
    }
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandFailure.noInput("\(path): \(Descriptor.text(of: errno))")
    }
  }

  /// Reads to the end, then closes.
  ///
  /// - Parameter body: Takes each chunk.
  /// - Throws: `ExitCode` 66 where reading fails, and what `body` throws.
  func readChunks(_ body: (Span<UInt8>) throws -> Void) throws {
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Descriptor.readSome(into: $0, from: descriptor)
      }
      guard let count else {
        throw CommandFailure.noInput("\(name): \(Descriptor.text(of: errno))")
      }
      guard count > 0 else { return }
      try body(buffer.span.extracting(0..<count))
    }
  }
}
