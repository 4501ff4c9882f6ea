// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// A file or standard input, read in chunks so that memory use stays constant.
struct InputFile {
  static let chunkSize = 65_536
  /// The maximum number of bytes to read ahead from a pipe, which cannot be rewound.
  static let maxPipeBytesAhead = 65_536

  /// The name in messages.
  let name: String
  private let descriptor: Int32
  /// The bytes read ahead from a pipe.
  private var bytesReadAhead: [UInt8] = []

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `ExitCode` 66 if the file cannot be opened.
  init(path: String) throws {
    guard path != "-" else {
      name = "standard input"
      descriptor = STDIN_FILENO
      return
    }
    name = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Self.failure(path, errno)
    }
  }

  /// Reports an error and returns the exit code.
  private static func failure(_ name: String, _ number: Int32) -> ExitCode {
    let advice =
      switch number {
      case ENOENT, ENOTDIR: "; check the name"
      case EISDIR: "; specify a file"
      case EACCES where geteuid() != 0: "; try with sudo"
      default: ""
      }
    return CommandFailure.noInput("\(name): \(Descriptor.text(of: number))\(advice)")
  }

  /// Reads the beginning of the file; ``readChunks(_:)`` still delivers the whole file.
  ///
  /// From a pipe this method reads at most ``maxPipeBytesAhead``, rounded up to a whole chunk.
  /// Reading stops when `isWanted`, which is evaluated before each chunk, is false.
  ///
  /// - Throws: `ExitCode` 66 if reading fails.
  mutating func readAhead(
    while isWanted: @autoclosure () -> Bool, _ body: (Span<UInt8>) -> Void
  ) throws {
    let start = lseek(descriptor, 0, SEEK_CUR)
    defer { if start >= 0 { lseek(descriptor, start, SEEK_SET) } }
    var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
    while isWanted(), start >= 0 || bytesReadAhead.count < Self.maxPipeBytesAhead {
      let count = try read(into: &buffer)
      guard count > 0 else { return }
      if start < 0 { bytesReadAhead += buffer.prefix(count) }
      body(buffer.span.extracting(0..<count))
    }
  }

  /// Reads to the end, then closes the file.
  ///
  /// - Throws: `ExitCode` 66 if reading fails, and any error of `body`.
  func readChunks(_ body: (Span<UInt8>) throws -> Void) throws {
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    if !bytesReadAhead.isEmpty { try body(bytesReadAhead.span) }
    var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
    while true {
      let count = try read(into: &buffer)
      guard count > 0 else { return }
      try body(buffer.span.extracting(0..<count))
    }
  }

  /// Reads the available bytes, up to the buffer's size; 0 at the end of the file.
  private func read(into buffer: inout [UInt8]) throws -> Int {
    let count = buffer.withUnsafeMutableBytes { Descriptor.readSome(into: $0, from: descriptor) }
    guard let count else {
      throw Self.failure(name, errno)
    }
    return count
  }
}
