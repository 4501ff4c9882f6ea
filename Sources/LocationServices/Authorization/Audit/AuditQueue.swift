// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// Appends lines to the audit log without making a decision wait for the log's lock.
///
/// A line is written at once if the lock is free. While another process holds the lock, lines wait
/// in a bounded queue, and a separate thread writes them in order.
final class AuditQueue: Sendable {
  /// Receives the error if a queued line could not be written.
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

  /// The number of lines dropped because the queue was full.
  var droppedCount: UInt64 { state.withLock { $0.droppedCount } }

  /// Appends a line; never waits for the lock.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - failed: Called later on another thread if the line was queued and cannot be written, and
  ///     each time the wait for the lock times out.
  /// - Throws: ``DecisionStoreError`` if the line was not queued and could not be written.
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
    // No thread could be started; the next call of `append` tries again.
    state.withLock { $0.isRunning = false }
  }

  /// Waits until all lines are written, or until the wait for the log's lock times out.
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
          // Resume `flush()`; the line stays first in the queue and is tried again.
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
