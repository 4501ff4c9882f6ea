// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// A file, or standard input, read in chunks so that memory stays flat.
struct InputFile {
  static let chunkSize = 65_536
  /// The most that is read ahead of a pipe, which cannot be read twice.
  static let maxPipeBytesAhead = 65_536

  /// What messages call it.
  let name: String
  private let descriptor: Int32
  /// Bytes of a pipe that were read ahead.
  private var ahead: [UInt8] = []

  /// Opens a file; `-` is standard input.
  ///
  /// Throws `ExitCode` 66 where it is not there, not readable, or a directory.
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

  /// Reads the beginning, which ``readChunks(_:)`` then reads again.
  ///
  /// Of a pipe it reads at most ``maxPipeBytesAhead``.
  ///
  /// - Parameters:
  ///   - isWanted: Whether more is wanted; asked before each chunk.
  ///   - body: Takes each chunk.
  /// - Throws: `ExitCode` 66 where reading fails.
  mutating func readAhead(
    while isWanted: @autoclosure () -> Bool, _ body: (Span<UInt8>) -> Void
  ) throws {
    let start = lseek(descriptor, 0, SEEK_CUR)
    defer { if start >= 0 { lseek(descriptor, start, SEEK_SET) } }
    var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
    while isWanted(), start >= 0 || ahead.count < Self.maxPipeBytesAhead {
      let count = try read(into: &buffer)
      guard count > 0 else { return }
      if start < 0 { ahead += buffer.prefix(count) }
      body(buffer.span.extracting(0..<count))
    }
  }

  /// Reads to the end, then closes.
  ///
  /// Throws `ExitCode` 66 where reading fails, and what `body` throws.
  func readChunks(_ body: (Span<UInt8>) throws -> Void) throws {
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    if !ahead.isEmpty { try body(ahead.span) }
    var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
    while true {
      let count = try read(into: &buffer)
      guard count > 0 else { return }
      try body(buffer.span.extracting(0..<count))
    }
  }

  /// Reads what there is, up to the buffer's size; 0 at the end.
  private func read(into buffer: inout [UInt8]) throws -> Int {
    let count = buffer.withUnsafeMutableBytes { Descriptor.readSome(into: $0, from: descriptor) }
    guard let count else {
      throw CommandFailure.noInput("\(name): \(Descriptor.text(of: errno))")
    }
    return count
  }
}
