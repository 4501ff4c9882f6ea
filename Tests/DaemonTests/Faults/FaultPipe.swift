// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Plugins
import Synchronization

/// A pipe whose reader can be stopped.
///
/// While the reader is stopped, the pipe is full, so that writing blocks.
final class FaultPipe: Sendable {
  private struct State {
    var isReading = true
    /// The number of bytes written since the pipe was last drained.
    var count = 0
    /// Number of bytes in the full pipe.
    var capacity = 0
  }

  private let reader: Int32
  private let writer: Int32
  private let stepper: SteppedTasks
  private let state = Mutex(State())

  /// The maximum number of unread bytes before draining.
  ///
  /// Less than a pipe's capacity, but more than the size of a single write.
  private static let maxUnread = 16_384

  init(_ stepper: SteppedTasks) throws {
    self.stepper = stepper
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw NoPipe() }
    (reader, writer) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Only the read end is non-blocking, because writing must block.
    guard fcntl(reader, F_SETFL, O_NONBLOCK) == 0 else { throw NoPipe() }
  }

  struct NoPipe: Error {}

  deinit {
    close(reader)
    close(writer)
  }

  /// Writes in place of the daemon's standard output.
  func write(_ bytes: [UInt8]) throws {
    let output = DescriptorOutput(descriptor: writer)
    let (isReading, needsDraining) = state.withLock { state in
      state.count += bytes.count
      return (state.isReading, state.count > Self.maxUnread)
    }
    guard isReading else { return try stepper.block { try output.write(bytes) } }
    if needsDraining { drain() }
    try output.write(bytes)
  }

  /// Stops reading, and fills the pipe to the last byte.
  func fill() {
    state.withLock { $0.isReading = false }
    // Open the pipe again, so that non-blocking mode does not apply to the daemon's writes.
    let filler = open("/proc/self/fd/\(writer)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    let page = [UInt8](repeating: 0x0A, count: 4096)
    while Glibc.write(filler, page, page.count) > 0 {}
    while Glibc.write(filler, page, 1) > 0 {}
    close(filler)
    let count = unread
    state.withLock { $0.capacity = count }
    stepper.expectBlocking(true)
  }

  /// Resumes reading.
  ///
  /// Blocked writes have completed when this function returns.
  func release() {
    guard !state.withLock({ exchange(&$0.isReading, true) }) else { return }
    drain()
    stepper.expectBlocking(false)
  }

  /// Whether the pipe was neither read nor written since it was filled.
  var isFull: Bool { state.withLock { !$0.isReading && $0.capacity > 0 && $0.capacity == unread } }

  private var unread: Int {
    var count: Int32 = 0
    return ioctl(reader, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
  }

  private func drain() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while read(reader, &buffer, buffer.count) > 0 {}
    state.withLock { $0.count = 0 }
  }
}

private func exchange(_ flag: inout Bool, _ value: Bool) -> Bool {
  defer { flag = value }
  return flag
}
