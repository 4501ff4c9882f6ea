// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// The programs that run as plugins now, so that none outlives who has started it.
///
/// A plugin ends its program itself, and is given time for it. One that could not is left to itself
/// then, and what it runs is killed at the very end; so is what is only just being started, and nothing
/// more is.
package final class ExecPrograms: Sendable {
  /// Those of this process.
  package static let shared = ExecPrograms()

  private enum Entry {
    /// It is being started.
    case starting
    case running(program: Int32)

    var isStarting: Bool { if case .starting = self { true } else { false } }
  }

  private struct State {
    var isClosed = false
    var entries: [UInt64: Entry] = [:]
    var lastNumber: UInt64 = 0
    /// How many were killed since it was closed.
    var killedCount = 0
    /// Those that wait until none is being started.
    var waiting: [AsyncStream<Never>.Continuation] = []

    mutating func kill(_ program: Int32) {
      killedCount += 1
      Glibc.kill(-program, SIGKILL)
    }

    /// Those whose wait is over.
    mutating func takeReleased() -> [AsyncStream<Never>.Continuation] {
      guard !entries.values.contains(where: \.isStarting) else { return [] }
      defer { waiting = [] }
      return waiting
    }
  }

  /// How long a program that is being started is waited for: it takes some milliseconds.
  private static let patience = Duration.seconds(1)

  private let state = Mutex(State())

  init() {}

  /// Programs may be started, as is so from the beginning, though others have been killed.
  package func open() { state.withLock { $0.isClosed = false } }

  /// Whether no program is started any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// A program is about to be started.
  ///
  /// - Returns: Its number here, to be removed in any case; `nil` where none is started any more.
  func begin() -> UInt64? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastNumber &+= 1
      state.entries[state.lastNumber] = .starting
      return state.lastNumber
    }
  }

  /// A program runs, which nobody reaps before it is removed: until then its number is its own.
  ///
  /// It is killed at once where none is to run any more.
  func started(_ number: UInt64, _ program: Int32) {
    change { state in
      state.entries[number] = .running(program: program)
      if state.isClosed { state.kill(program) }
    }
  }

  /// A program is gone or about to be reaped, or could not be started.
  func remove(_ number: UInt64) { change { $0.entries[number] = nil } }

  /// Kills the process group of each program that still runs, and starts nothing more until opened.
  ///
  /// For the end of a process: whoever waits for one of these programs finds it killed.
  ///
  /// - Parameter clock: What a program that is just being started is waited for by, a second at most.
  /// - Returns: How many there were.
  @discardableResult
  package func close(clock: any Clock<Duration> = ContinuousClock()) async -> Int {
    let (waits, wait) = AsyncStream.makeStream(of: Never.self)
    change { state in
      state.isClosed = true
      state.killedCount = 0
      // Under the lock: none of them is reaped meanwhile.
      for case .running(let program) in state.entries.values { state.kill(program) }
      state.waiting.append(wait)
    }
    // A task of its own hears of no cancel, by which nothing would be waited for.
    let timer = Task {
      guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
      wait.finish()
    }
    await Task { for await _ in waits {} }.value
    timer.cancel()
    return state.withLock(\.killedCount)
  }

  private func change(_ change: (inout State) -> Void) {
    let released = state.withLock { state in
      change(&state)
      return state.takeReleased()
    }
    for continuation in released { continuation.finish() }
  }
}
