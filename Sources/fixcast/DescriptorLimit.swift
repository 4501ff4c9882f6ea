// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The limit of open files, which has to be high enough before SwiftNIO starts: it traps where its
/// event loops cannot be made.
struct DescriptorLimit: Equatable {
  /// The files that may be open now.
  var soft: UInt64
  /// The highest value that this process may set.
  var hard: UInt64
  /// The files that a command may need open.
  var needed: UInt64

  /// What to do about the limit.
  enum Action: Equatable {
    /// Nothing: it is high enough.
    case leave
    /// Raise it to so many.
    case raise(UInt64)
    /// End with this message.
    case fail(String)
  }

  var action: Action {
    if soft >= needed { return .leave }
    if hard >= needed { return .raise(needed) }
    return .fail(
      "at most \(hard) files may be open, and \(needed) are needed; raise the limit: "
        + "ulimit -n 1024, or LimitNOFILE=1024 in the unit")
  }

  /// The limit of this process.
  static var current: Self {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return Self(soft: .max, hard: .max, needed: 0)
    }
    // Three files for each event loop, of which there is one a processor, and some for the rest.
    let processors = UInt64(clamping: max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
    return Self(
      soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max), needed: 3 * processors + 32)
  }

  /// Raises the limit where it is too low for a command.
  ///
  /// - Parameter command: The command, of which some open no socket and need no more than a few.
  /// - Throws: `ExitCode` 69 where the limit cannot be raised far enough.
  static func prepare(for command: any ParsableCommand) throws {
    let opensNoSocket =
      command is DecodeCommand || command is SimulateCommand || command is CheckConfigCommand
    let current = current
    switch current.action {
    case .leave: break
    case .raise(let soft):
      var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(current.hard))
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    case .fail(let message):
      if !opensNoSocket { throw CommandFailure.unavailable(message) }
    }
  }
}
