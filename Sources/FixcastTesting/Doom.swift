// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sudden end of a test's own process, as by a power cut.
public enum Doom {
  /// Lets this process be killed after a while, whatever it does then.
  ///
  /// The moment of death is the one thing that nobody waits for.
  ///
  /// - Parameter microseconds: What lies between now and then.
  public static func strike(afterMicroseconds microseconds: UInt32) {
    var thread = pthread_t()
    let delay = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
    delay.pointee = microseconds
    pthread_create(
      &thread, nil,
      { delay in
        if let delay { usleep(delay.load(as: UInt32.self)) }
        kill(getpid(), SIGKILL)
        return nil
      }, delay)
  }

  /// Tells the test that waits for the end how far this process has come, one number a line.
  ///
  /// - Parameter number: The number.
  public static func tell(_ number: some FixedWidthInteger) {
    let line = Array("\(number)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// The numbers that a process has told before its end.
  ///
  /// - Parameter output: What it has written.
  /// - Returns: The numbers, the first first.
  public static func told(_ output: some Sequence<UInt8>) -> [Int] {
    String(decoding: Array(output), as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
  }
}
