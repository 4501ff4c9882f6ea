// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// The limit of open files.
///
/// Checked before SwiftNIO starts, since SwiftNIO traps if it cannot create its event loops.
struct DescriptorLimit: Equatable {
  /// The current limit.
  var soft: UInt64
  /// The maximum that this process may set.
  var hard: UInt64
  /// The number of files that a command may need.
  var needed: UInt64

  /// The action to take.
  enum Action: Equatable {
    /// No action: the limit is high enough.
    case leave
    /// Raise the limit to this value.
    case raise(UInt64)
    /// Fail with this message.
    case fail(String)
  }

  var action: Action {
    if soft >= needed { return .leave }
    if hard >= needed { return .raise(needed) }
    return .fail(
      "the limit of open files is \(hard), but \(needed) are needed; raise it with: "
        + "ulimit -n 1024, or LimitNOFILE=1024 in the unit")
  }

  /// The limit of this process.
  static var current: Self {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return Self(soft: .max, hard: .max, needed: 0)
    }
    // Three files per event loop, one event loop per processor, and 32 for all other uses.
    let processors = UInt64(clamping: max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1))
    return Self(
      soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max), needed: 3 * processors + 32)
  }

  /// Raises the limit if a command needs more.
  ///
  /// A command that opens no sockets runs even if the limit is too low.
  ///
  /// - Throws: `ExitCode` 69 if the limit cannot be raised far enough.
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
