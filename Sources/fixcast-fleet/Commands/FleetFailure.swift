// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// Errors that end a command, with one line on standard error and an exit code of sysexits(3).
enum FleetFailure {
  /// 69: the database or an address is not available.
  static func unavailable(_ message: String) -> ExitCode { failure(69, message) }

  /// 78: tables or a file that the administrator has to change.
  static func configuration(_ message: String) -> ExitCode { failure(78, message) }

  /// The failure for an error of the database.
  static func database(_ error: PostgresError) -> ExitCode {
    error.isTransient ? unavailable(error.description) : configuration(error.description)
  }

  private static func failure(_ code: Int32, _ message: String) -> ExitCode {
    let line = "fixcast-fleet: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    return ExitCode(code)
  }
}
