// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Errors that end a command, with one line on standard error and an exit code of sysexits(3).
enum CommandFailure {
  /// 64: an invalid option or argument.
  static func usage(_ message: String) -> ExitCode { failure(64, message) }

  /// 65: the input contains nothing that can be decoded.
  static func noData(_ message: String) -> ExitCode { failure(65, message) }

  /// 66: the input does not exist or cannot be read.
  static func noInput(_ message: String) -> ExitCode { failure(66, message) }

  /// 69: a receiver, the daemon, gpsd, a provider or a network path is not available.
  static func unavailable(_ message: String) -> ExitCode { failure(69, message) }

  /// 74: writing failed.
  static func inputOutput(_ message: String) -> ExitCode { failure(74, message) }

  /// 75: a temporary failure, such as no fix or answer within the time limit.
  static func temporary(_ message: String) -> ExitCode { failure(75, message) }

  /// 77: not authorized, by a policy or by file permissions.
  static func notPermitted(_ message: String) -> ExitCode { failure(77, message) }

  /// 78: a configuration that cannot be read or is invalid.
  static func configuration(_ message: String) -> ExitCode { failure(78, message) }

  /// 69: the option `--last` without a daemon.
  static var lastWithoutDaemon: ExitCode {
    unavailable(
      "--last: only the daemon keeps the last position; leave out --source, and start the daemon: "
        + "sudo systemctl start fixcast")
  }

  private static func failure(_ code: Int32, _ message: String) -> ExitCode {
    StandardError.print("fixcast: " + message)
    return ExitCode(code)
  }
}
