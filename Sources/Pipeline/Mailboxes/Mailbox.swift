// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Synchronization

/// A plugin's bounded queue, read by one instance of the plugin at a time.
///
/// Sending never blocks.
final class Mailbox: Sendable {
  /// The result of a read.
  enum Input: Sendable {
    case event(any PipelineEvent)
    /// No event arrived within the reader's limit.
    case timeout
    /// The input has ended for this reader.
    case end
  }

  private typealias Continuation = CheckedContinuation<Input, Never>

  private struct State {
    var queue: MailboxQueue
    /// The instance that may read events.
    var reader: UInt64?
    /// The instance that has taken events without settling them.
    var holder: UInt64?
    /// Whether the reader is still processing its last event, rather than only keeping it in a
    /// batch.
    var isBusy = false
    var isFinished = false
    var parked: (reader: UInt64, continuation: Continuation)?
    /// Ends the reader's wait.
    ///
    /// Further events do not restart the timer, so that a batch is written on time.
    var timer: Task<Void, Never>?
    var drainWaiters: [AsyncStream<Never>.Continuation] = []

    /// Returns the next event or the end for a reader, or `nil` if the reader must wait.
    mutating func takeInput(for reader: UInt64) -> Input? {
      guard reader == self.reader else { return .end }
      guard let event = queue.take() else { return isFinished ? .end : nil }
      holder = reader
      isBusy = true
      return .event(event)
    }

    /// Returns the waiting reader and its result, or `nil` if no reader is waiting or there is no
    /// result yet.
    mutating func unpark() -> (Continuation, Input)? {
      guard let parked, let input = takeInput(for: parked.reader) else { return nil }
      self.parked = nil
      return (parked.continuation, input)
    }
  }

  private let state: Mutex<State>

  init(_ policy: MailboxPolicy) { state = Mutex(State(queue: MailboxQueue(policy))) }

  /// A copy of the queue, for reading its counts.
  var queue: MailboxQueue { state.withLock { $0.queue } }

  /// The number of events in the reader's unwritten batch.
  var batchedCount: Int {
    state.withLock { max($0.queue.takenCount - ($0.isBusy ? 1 : 0), 0) }
  }

  /// Adds an event to the queue; returns immediately.
  func send(_ event: any PipelineEvent, at now: MonotonicTime) -> MailboxQueue.Outcome {
    // Events after the end of the input are neither stored nor counted.
    update { $0.isFinished ? .dropped : $0.queue.send(event, at: now) }
  }

  /// Waits for the next event.
  ///
  /// - Parameters:
  ///   - reader: The number of the reading instance.
  ///   - limit: The maximum wait; `nil` for no limit. A timer that is already running for this
  ///     reader takes precedence.
  ///   - clock: The clock that measures `limit`.
  /// - Returns: The event, a timeout, or the end if the input has ended, the reader has been
  ///   replaced or the task is cancelled.
  func next(
    for reader: UInt64, within limit: Duration? = nil, on clock: any Clock<Duration>
  ) async -> Input {
    if let input = state.withLock({ $0.takeInput(for: reader) }) { return input }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (input, replaced) = state.withLock { state -> (Input?, Continuation?) in
          if let input = state.takeInput(for: reader) { return (input, nil) }
          // A cancellation before this point did not find a waiting reader to resume.
          if Task.isCancelled { return (.end, nil) }
          let replaced = state.parked?.continuation
          state.parked = (reader, continuation)
          // Start the timer only after parking the reader: an earlier timeout would be lost.
          if let limit, state.timer == nil {
            state.timer = timer(for: reader, max(limit, .zero), on: clock)
          }
          return (nil, replaced)
        }
        if let input { continuation.resume(returning: input) }
        replaced?.resume(returning: .end)
      }
    } onCancel: {
      endWait(reader, .end)
    }
  }

  /// Makes this instance the reader; with `nil`, no instance can read.
  func setReader(_ reader: UInt64?) {
    update {
      $0.reader = reader
      $0.timer?.cancel()
      $0.timer = nil
      if reader != nil { $0.queue.reopen() }
    }
  }

  /// Removes the events that the reader has taken, except the first `count` events, which are the
  /// reader's unwritten batch.
  ///
  /// - Returns: The number of removed events; 0 if another reader has since taken events.
  @discardableResult
  func settle(_ reader: UInt64, keeping count: Int = 0) -> Int {
    update { state in
      guard state.holder == reader else { return 0 }
      state.isBusy = false
      return state.queue.settle(keeping: count)
    }
  }

  /// Returns unsettled events to the queue for the next reader, or counts them as lost.
  func putBack(from reader: UInt64) {
    update { state in
      guard state.holder == reader else { return }
      state.isBusy = false
      state.queue.putBack()
    }
  }

  /// Removes and returns all waiting events.
  func takeAll() -> [any PipelineEvent] { update { $0.queue.takeAll() } }

  /// Drops all waiting events.
  func dropAll() { update { $0.queue.dropAll() } }

  func change(_ policy: MailboxPolicy) { update { $0.queue.change(policy) } }

  /// Ends the input.
  ///
  /// Events that are already in the queue can still be read.
  func finish() { update { $0.isFinished = true } }

  /// Ends reading, and counts the remaining events as lost.
  func close() {
    update { state in
      (state.reader, state.holder, state.isBusy) = (nil, nil, false)
      state.timer?.cancel()
      state.queue.close()
    }
  }

  /// Waits until all events are settled; returns immediately when closed or cancelled.
  func waitUntilEmpty() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    update { $0.drainWaiters.append(continuation) }
    // The loop ends when the stream is finished or the task is cancelled.
    for await _ in stream {}
  }

  /// Changes the state, and resumes all waiters whose condition is now met.
  private func update<Value>(_ change: (inout State) -> Value) -> Value {
    let (value, unparked, released) = state.withLock { state in
      let value = change(&state)
      let unparked = state.unpark()
      var released: [AsyncStream<Never>.Continuation] = []
      if state.queue.isClosed || (state.queue.depth == 0 && !state.isBusy) {
        swap(&released, &state.drainWaiters)
      }
      return (value, unparked, released)
    }
    if let (continuation, input) = unparked { continuation.resume(returning: input) }
    for continuation in released { continuation.finish() }
    return value
  }

  private func timer(
    for reader: UInt64, _ wait: Duration, on clock: any Clock<Duration>
  ) -> Task<Void, Never> {
    Task {
      guard (try? await clock.sleep(for: wait)) != nil else { return }
      state.withLock { $0.timer = nil }
      endWait(reader, .timeout)
    }
  }

  /// Ends a reader's wait; does nothing if the reader is not waiting.
  private func endWait(_ reader: UInt64, _ input: Input) {
    let continuation = state.withLock { state -> Continuation? in
      guard let parked = state.parked, parked.reader == reader else { return nil }
      state.parked = nil
      return parked.continuation
    }
    continuation?.resume(returning: input)
  }
}
