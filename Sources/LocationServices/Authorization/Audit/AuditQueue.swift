// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// Adds lines to the log of authorization without making a decision wait for the log's lock.
///
/// A line is written at once where the lock is free. While another process holds the lock, lines
/// wait in a bounded queue and are written, in order, by a thread of their own.
final class AuditQueue: Sendable {
  /// Takes why a line that had waited could not be written.
  typealias Failure = @Sendable (DecisionStoreError) -> Void

  private struct State {
    var lines: [(event: AuditEvent, failed: Failure)] = []
    var isRunning = false
    var droppedCount: UInt64 = 0
    var flushing: [CheckedContinuation<Void, Never>] = []
  }

  private let log: AuditLog
  private let maxLines: Int
  private let state = Mutex(State())

  init(log: AuditLog, maxLines: Int) {
    self.log = log
    self.maxLines = maxLines
  }

  /// Lines that were dropped because too many waited.
  var droppedCount: UInt64 { state.withLock { $0.droppedCount } }

  /// Adds a line; never waits for the lock.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - failed: Called later, on another thread, where the line had to wait and cannot be written
  ///     or has waited for long.
  /// - Throws: ``DecisionStoreError`` where the line did not have to wait and could not be written.
  func append(_ event: AuditEvent, failed: @escaping Failure) throws(DecisionStoreError) {
    if state.withLock({ !$0.isRunning }) {
      do throws(DecisionStoreError) {
        return try log.append(event, lockTimeout: .zero)
      } catch {
        guard case .busy = error else { throw error }
      }
    }
    let starts = state.withLock { state in
      guard state.lines.count < maxLines else {
        state.droppedCount &+= 1
        return false
      }
      state.lines.append((event, failed))
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts, !BlockingThread.start({ self.drain() }) else { return }
    // No thread to be had: the next line that has to wait tries again.
    state.withLock { $0.isRunning = false }
  }

  /// Waits until all lines are written, or the lock has been held for too long.
  func flush() async {
    await withCheckedContinuation { continuation in
      let isRunning = state.withLock { state in
        if state.isRunning { state.flushing.append(continuation) }
        return state.isRunning
      }
      if !isRunning { continuation.resume() }
    }
  }

  private func drain() {
    while let line = next() {
      do throws(DecisionStoreError) {
        try log.append(line.event)
      } catch {
        line.failed(error)
        if case .busy = error {
          // Ends flush(); the line stays first.
          endFlushing()
          continue
        }
      }
      state.withLock { _ = $0.lines.removeFirst() }
    }
    endFlushing()
  }

  private func next() -> (event: AuditEvent, failed: Failure)? {
    state.withLock { state in
      if state.lines.isEmpty { state.isRunning = false }
      return state.lines.first
    }
  }

  private func endFlushing() {
    let waiting = state.withLock { state in
      defer { state.flushing = [] }
      return state.flushing
    }
    for continuation in waiting { continuation.resume() }
  }
}
