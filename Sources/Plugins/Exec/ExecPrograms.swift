// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The programs that run as plugins now, so that none outlives who has started it.
///
/// A plugin ends its program itself, and is given time for it. One that could not is left to itself
/// then, and what it runs is killed at the very end.
public final class ExecPrograms: Sendable {
  /// Those of this process.
  public static let shared = ExecPrograms()

  private struct State {
    var programs: [UInt64: (program: Int32, family: ExecFamily)] = [:]
    var lastNumber: UInt64 = 0
  }

  private let state = Mutex(State())

  init() {}

  /// Takes a program that runs, and that nobody reaps before it is removed: its number is its own.
  func add(_ program: Int32, _ family: ExecFamily) -> UInt64 {
    state.withLock { state in
      state.lastNumber &+= 1
      state.programs[state.lastNumber] = (program, family)
      return state.lastNumber
    }
  }

  /// A program is gone, or about to be reaped.
  func remove(_ number: UInt64) { state.withLock { $0.programs[number] = nil } }

  /// Kills what still runs, with all that it has started; blocks until it is gone, up to a second for
  /// each.
  ///
  /// For the end of a process: whoever waits for one of these programs finds it killed.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func killAll() -> Int {
    let programs = state.withLock { state in
      // Under the lock: none of them is reaped meanwhile.
      for (program, _) in state.programs.values { kill(-program, SIGKILL) }
      return Array(state.programs.values)
    }
    for (program, family) in programs { family.kill(of: program, []) }
    return programs.count
  }
}
