// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Reads a recording in chunks, so that memory use does not depend on the recording's size.
package final class ChunkReader {
  /// The origin of the bytes.
  package enum Input: Sendable {
    case file(String)
    case bytes([UInt8])
  }

  package static let chunkSize = 64 << 10

  private let file: String
  private let descriptor: Int32?
  private var rest: ArraySlice<UInt8> = []

  package init(_ input: Input) throws(ReplayError) {
    switch input {
    case .bytes(let bytes):
      (file, descriptor, rest) = ("", nil, bytes[...])
    case .file(let file):
      self.file = file
      do throws(SystemCallFailure) {
        descriptor = try SystemCall.run("open") {
          // Without O_NONBLOCK, opening a named pipe would block until the pipe has a writer.
          open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        }
      } catch {
        throw ReplayError(file: file, error)
      }
    }
  }

  /// Whether the input can be read again from the start, unlike a pipe or device.
  var isRepeatable: Bool {
    guard let descriptor else { return true }
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit { if let descriptor { SystemCall.close(descriptor) } }

  /// Waits for input or the end of the input without blocking a thread.
  ///
  /// Returns false if the task was cancelled.
  package func waitUntilReadable() async -> Bool {
    var pause = Duration.milliseconds(1)
    while let descriptor, !Self.isReadable(descriptor, milliseconds: 0) {
      guard (try? await Task.sleep(for: pause)) != nil else { return false }
      pause = min(pause * 2, .milliseconds(100))
    }
    return !Task.isCancelled
  }

  /// Whether a read would not block.
  ///
  /// Returns true if poll(2) fails; the next read reports the failure.
  private static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }

  /// Reads up to ``chunkSize`` bytes; at the end of the input, the buffer is empty.
  package func next(into buffer: inout [UInt8]) throws(ReplayError) {
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
        while true {
          _ = Self.isReadable(descriptor, milliseconds: -1)
          let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
          if count >= 0 || errno != EAGAIN { return count }
        }
      }
      buffer.removeLast(buffer.count - max(0, min(count, buffer.count)))
    } catch {
      throw ReplayError(file: file, error)
    }
  }
}
