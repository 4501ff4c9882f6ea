// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Kills the test's own process, to simulate a power failure.
package enum SelfKill {
  /// Kills this process after a delay.
  package static func schedule(afterMicroseconds microseconds: UInt32) {
    _ = BlockingThread.start {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
  }

  /// Prints the progress of this process for the waiting test, one number per line.
  package static func report(_ number: some FixedWidthInteger) {
    let line = Array("\(number)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// Forks this process and runs a body in the copy until the copy is killed.
  ///
  /// Only the calling thread is copied, and locks of other threads stay locked in the copy. Use
  /// this function only in a process without other activity.
  ///
  /// - Parameter body: The body.
  /// - Returns: The numbers that the copy has printed, and the signal that killed it. The signal is
  ///   0 if the copy exited normally or could not be forked.
  package static func runInFork(_ body: () -> Void) -> (numbers: [Int], signal: Int32) {
    typealias Call = @convention(c) () -> pid_t
    var ends: [Int32] = [-1, -1]
    // Swift does not import fork, because it is unsafe with several threads.
    guard let symbol = dlsym(nil, "fork"), pipe(&ends) == 0 else { return ([], 0) }
    let processID = unsafeBitCast(symbol, to: Call.self)()
    if processID == 0 {
      dup2(ends[1], STDOUT_FILENO)
      body()
      _exit(0)
    }
    close(ends[1])
    var (output, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while processID > 0 {
      let count = read(ends[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += buffer.prefix(count)
    }
    close(ends[0])
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    return (reportedNumbers(in: output), status & 0x7F)
  }

  /// Returns the numbers in the output of a process, in order.
  package static func reportedNumbers(in output: some Sequence<UInt8>) -> [Int] {
    String(decoding: Array(output), as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
  }
}
