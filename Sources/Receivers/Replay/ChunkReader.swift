// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Yields a recording in pieces, so that memory does not grow with it.
final class ChunkReader {
  /// Where the bytes are.
  enum Input: Sendable {
    case file(String)
    case bytes([UInt8])
  }

  static let chunkSize = 64 << 10

  private let file: String
  private let descriptor: Int32?
  private var rest: ArraySlice<UInt8> = []

  init(_ input: Input) throws(ReplayError) {
    switch input {
    case .bytes(let bytes):
      (file, descriptor, rest) = ("", nil, bytes[...])
    case .file(let file):
      self.file = file
      do throws(SystemCallFailure) {
        descriptor = try SystemCall.run("open") { open(file, O_RDONLY | O_CLOEXEC) }
      } catch {
        throw ReplayError(file: file, error)
      }
    }
  }

  deinit { if let descriptor { SystemCall.close(descriptor) } }

  /// Fills a buffer with the next bytes, up to its size; empty at the end.
  func next(into buffer: inout [UInt8]) throws(ReplayError) {
    guard let descriptor else {
      buffer = Array(rest.prefix(Self.chunkSize))
      rest = rest.dropFirst(Self.chunkSize)
      return
    }
    if buffer.count < Self.chunkSize {
      buffer = [UInt8](repeating: 0, count: Self.chunkSize)
    }
    do throws(SystemCallFailure) {
      let count = try SystemCall.run("read") {
        buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      }
      buffer.removeLast(buffer.count - max(0, min(count, buffer.count)))
    } catch {
      throw ReplayError(file: file, error)
    }
  }
}
