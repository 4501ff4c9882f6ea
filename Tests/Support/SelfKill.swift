// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// The sudden end of a test's own process, as by a power cut.
package enum SelfKill {
  /// Lets this process be killed after a while, whatever it does then.
  ///
  /// The moment of death is the one thing that nobody waits for.
  ///
  /// - Parameter microseconds: What lies between now and then.
  package static func strike(afterMicroseconds microseconds: UInt32) {
    _ = BlockingThread.start {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
  }

  /// Tells the test that waits for the end how far this process has come, one number a line.
  package static func tell(_ number: some FixedWidthInteger) {
    let line = Array("\(number)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// Does something in a copy of this process until that is killed.
  ///
  /// Only the thread that calls is copied, and what others hold at that moment is held there for
  /// good: this is for a process that does nothing else.
  ///
  /// - Parameter body: What to do.
  /// - Returns: The numbers that it has told before its end, and the signal that was its end; 0 where
  ///   there was none, or no copy.
  package static func copy(_ body: () -> Void) -> (told: [Int], signal: Int32) {
    typealias Call = @convention(c) () -> pid_t
    var ends: [Int32] = [-1, -1]
    // Swift hides it, for the sake of what runs on several threads.
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
    return (told(output), status & 0x7F)
  }

  /// The numbers that a process has told before its end.
  ///
  /// - Parameter output: What it has written.
  /// - Returns: The numbers, the first first.
  package static func told(_ output: some Sequence<UInt8>) -> [Int] {
    String(decoding: Array(output), as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
  }
}
