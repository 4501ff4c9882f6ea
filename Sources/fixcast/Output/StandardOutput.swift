// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Plugins

/// Where a command's data goes that is printed in one go.
enum StandardOutput {
  /// Prints bytes.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: `ExitCode` 74 where they could not be written; why has been said.
  static func write(_ bytes: [UInt8]) throws {
    // A reader that goes away is an error of the write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    do throws(DescriptorOutput.Failure) {
      try DescriptorOutput(descriptor: STDOUT_FILENO).write(bytes)
    } catch { throw failure(error.number) }
  }

  /// How a command ends whose data could not be written.
  ///
  /// - Parameter number: The errno. Of a reader that has gone nothing is said: it has what it wanted.
  /// - Returns: 74.
  static func failure(_ number: Int32) -> ExitCode {
    guard number != EPIPE else { return ExitCode(74) }
    return CommandFailure.inputOutput("standard output: \(Descriptor.text(of: number))")
  }

  /// Has what others print through the C library, such as help, be known to have been written when
  /// the program ends by itself.
  static func checkAtExit() {
    atexit {
      guard fflush(nil) != 0, errno != EPIPE else { return }
      _ = StandardOutput.failure(errno)
      _exit(74)
    }
  }
}
