// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded queue before a plugin, read by one instance of it after the other.
///
/// Sending never blocks.
final class Mailbox: Sendable {
  /// An answer to a reader.
  enum Input: Sendable {
    case event(any PipelineEvent)
    /// No event came in the time that the reader gave.
    case timeout
    /// The input is over for this reader.
    case end
  }

  private typealias Continuation = CheckedContinuation<Input, Never>

  private struct State {
    var queue: MailboxQueue
    /// The instance that is given events.
    var reader: UInt64?
    /// The instance that has taken events and not settled them.
    var holder: UInt64?
    /// Whether the reader is still busy with its last event, and does not only keep it for a batch.
    var isBusy = false
    var isFinished = false
    var parked: (reader: UInt64, continuation: Continuation)?
    /// Ends the wait of the reader; one at a time, since a batch that grows is not due later.
    var timer: Task<Void, Never>?
    var waiting: [AsyncStream<Never>.Continuation] = []

    /// The answer to a reader; `nil` where it must wait.
    mutating func answer(_ reader: UInt64) -> Input? {
      guard reader == self.reader else { return .end }
      guard let event = queue.take() else { return isFinished ? .end : nil }
      holder = reader
      isBusy = true
      return .event(event)
    }

    /// The reader that waits, where there is an answer for it now.
    mutating func unpark() -> (Continuation, Input)? {
      guard let parked, let answer = answer(parked.reader) else { return nil }
      self.parked = nil
      return (parked.continuation, answer)
    }
  }

  private let state: Mutex<State>

  init(_ policy: MailboxPolicy) { state = Mutex(State(queue: MailboxQueue(policy))) }

  /// A copy of the queue, for its counts.
  var queue: MailboxQueue { state.withLock { $0.queue } }

  /// How many events the reader keeps, to write them together.
  var batchedCount: Int {
    state.withLock { max($0.queue.takenCount - ($0.isBusy ? 1 : 0), 0) }
  }

  /// Puts an event in; returns at once.
  func send(_ event: any PipelineEvent) -> MailboxQueue.Outcome {
    // After the end of the input nothing is expected, nor counted.
    update { $0.isFinished ? .dropped : $0.queue.send(event) }
  }

  /// Waits for the next event.
  ///
  /// - Parameters:
  ///   - reader: The instance that asks.
  ///   - limit: How long it waits at most, where an earlier limit does not end the wait sooner; `nil`
  ///     for as long as it takes.
  ///   - clock: The clock that `limit` is measured by.
  /// - Returns: The event; the end, where the reader is another by now or its task is cancelled.
  func next(
    for reader: UInt64, within limit: Duration? = nil, on clock: any Clock<Duration>
  ) async -> Input {
    if let answer = state.withLock({ $0.answer(reader) }) { return answer }
    if let limit { startTimer(for: reader, max(limit, .zero), on: clock) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, overtaken) = state.withLock { state -> (Input?, Continuation?) in
          if let answer = state.answer(reader) { return (answer, nil) }
          // A cancel before this point found nobody waiting.
          if Task.isCancelled { return (.end, nil) }
          defer { state.parked = (reader, continuation) }
          return (nil, state.parked?.continuation)
        }
        if let answer { continuation.resume(returning: answer) }
        overtaken?.resume(returning: .end)
      }
    } onCancel: {
      dismiss(reader, .end)
    }
  }

  /// Gives what there is to this reader from now on; to nobody where it is `nil`.
  func read(by reader: UInt64?) {
    update {
      $0.reader = reader
      $0.timer?.cancel()
      $0.timer = nil
      if reader != nil { $0.queue.reopen() }
    }
  }

  /// Removes what the reader has taken, except as many events that it keeps for a batch.
  ///
  /// - Returns: How many events it has dealt with; none where they are another reader's by now.
  @discardableResult
  func settle(_ reader: UInt64, keeping count: Int = 0) -> Int {
    update { state in
      guard state.holder == reader else { return 0 }
      state.isBusy = false
      return state.queue.settle(keeping: count)
    }
  }

  /// Takes back what the reader could not deal with: kept for the next one, or counted as lost.
  func putBack(from reader: UInt64) {
    update { state in
      guard state.holder == reader else { return }
      state.isBusy = false
      state.queue.putBack()
    }
  }

  /// Removes and returns all that waits.
  func takeAll() -> [any PipelineEvent] { update { $0.queue.takeAll() } }

  /// Drops all that waits, for something newer.
  func dropAll() { update { $0.queue.dropAll() } }

  func change(_ policy: MailboxPolicy) { update { $0.queue.change(policy) } }

  /// Ends the input: what waits is still taken.
  func finish() { update { $0.isFinished = true } }

  /// Counts what is left as lost: nothing is taken any more.
  func close() {
    update { state in
      (state.reader, state.holder, state.isBusy) = (nil, nil, false)
      state.timer?.cancel()
      state.queue.close()
    }
  }

  /// Waits until all events are dealt with; returns at once when closed or cancelled.
  func waitUntilEmpty() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    update { $0.waiting.append(continuation) }
    // Ends with the stream, or with the task.
    for await _ in stream {}
  }

  /// Changes the state, and wakes those whose wait is over by that.
  private func update<Value>(_ change: (inout State) -> Value) -> Value {
    let (value, unparked, released) = state.withLock { state in
      let value = change(&state)
      let unparked = state.unpark()
      var released: [AsyncStream<Never>.Continuation] = []
      if state.queue.isClosed || (state.queue.depth == 0 && !state.isBusy) {
        swap(&released, &state.waiting)
      }
      return (value, unparked, released)
    }
    if let (continuation, input) = unparked { continuation.resume(returning: input) }
    for continuation in released { continuation.finish() }
    return value
  }

  private func startTimer(
    for reader: UInt64, _ wait: Duration, on clock: any Clock<Duration>
  ) {
    state.withLock { state in
      guard state.timer == nil else { return }
      state.timer = Task {
        guard (try? await clock.sleep(for: wait)) != nil else { return }
        self.state.withLock { $0.timer = nil }
        self.dismiss(reader, .timeout)
      }
    }
  }

  /// Ends the wait of a reader, if it waits.
  private func dismiss(_ reader: UInt64, _ input: Input) {
    let continuation = state.withLock { state -> Continuation? in
      guard let parked = state.parked, parked.reader == reader else { return nil }
      state.parked = nil
      return parked.continuation
    }
    continuation?.resume(returning: input)
  }
}
