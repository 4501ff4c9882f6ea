// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded queue before a plugin, read by one instance of it after the other.
///
/// Nobody who sends ever waits. What an instance has taken stays in its hands until it takes the
/// next, so that whoever feeds the queue can wait until all has been dealt with.
final class Mailbox: Sendable {
  typealias Event = any PipelineEvent
  typealias Queue = MailboxQueue<Event, EventKey>

  private struct Parked {
    var reader: UInt64
    var continuation: CheckedContinuation<Event?, Never>
  }

  private struct State {
    var queue: Queue
    /// The only one that is given anything.
    var reader: UInt64?
    var parked: Parked?
    /// Who has taken something and not dealt with it.
    var holder: UInt64?
    var isFinished = false
    var waiting: [AsyncStream<Never>.Continuation] = []

    /// Those whose wait is over.
    mutating func takeReleased() -> [AsyncStream<Never>.Continuation] {
      guard queue.isClosed || (queue.depth == 0 && holder == nil) else { return [] }
      defer { waiting = [] }
      return waiting
    }

    /// What a reader gets now; `nil` where it must wait.
    mutating func answer(_ reader: UInt64) -> Event?? {
      guard reader == self.reader else { return .some(nil) }
      guard let event = queue.popFirst() else { return isFinished ? .some(nil) : nil }
      holder = reader
      return event
    }
  }

  private let state: Mutex<State>

  init(_ policy: MailboxPolicy) {
    state = Mutex(State(queue: Queue(policy) { EventKey($0) }))
  }

  /// The counts, and how many wait.
  var queue: Queue { state.withLock { $0.queue } }

  /// How many wait.
  var depth: Int { state.withLock { $0.queue.depth } }

  /// How many the policy has dropped.
  var droppedCount: UInt64 { state.withLock { $0.queue.droppedCount } }

  /// Puts an event in; returns at once.
  func send(_ event: Event) -> Queue.Outcome {
    let (outcome, parked, taken) = state.withLock { state in
      // After the end nothing is expected any more, nor missed.
      if state.isFinished { return (Queue.Outcome.turnedAway, Parked?.none, Event?.none) }
      let outcome = state.queue.send(event)
      guard let parked = state.parked, let answer = state.answer(parked.reader) else {
        return (outcome, nil, nil)
      }
      state.parked = nil
      return (outcome, parked, answer)
    }
    parked?.continuation.resume(returning: taken)
    return outcome
  }

  /// The next event for a reader; `nil` at the end, for a reader that is not this mailbox's any
  /// more, or when the task is cancelled.
  func next(for reader: UInt64) async -> Event? {
    settle(reader)
    if let answer = state.withLock({ $0.answer(reader) }) { return answer }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, overtaken) = state.withLock { state -> (Event??, Parked?) in
          if let answer = state.answer(reader) { return (answer, nil) }
          // Cancelled before it parked: the handler has found nobody.
          if Task.isCancelled { return (.some(nil), nil) }
          let overtaken = state.parked
          state.parked = Parked(reader: reader, continuation: continuation)
          return (nil, overtaken)
        }
        if let answer { continuation.resume(returning: answer) }
        overtaken?.continuation.resume(returning: nil)
      }
    } onCancel: {
      unpark { $0.parked?.reader == reader }
    }
  }

  /// From now on this reader is given what there is.
  func beginReading(_ reader: UInt64) {
    unpark {
      $0.reader = reader
      return true
    }
  }

  /// The reader is given nothing more; what waits, waits for another.
  func endReading() {
    unpark {
      $0.reader = nil
      return true
    }
  }

  /// The reader has dealt with what it has taken, or never will.
  func settle(_ reader: UInt64) {
    release { if $0.holder == reader { $0.holder = nil } }
  }

  /// Takes back what the reader could not deal with: kept or counted as lost.
  func putBack(_ event: Event, from reader: UInt64) {
    release {
      guard $0.holder == reader else { return }
      $0.holder = nil
      _ = $0.queue.putBack(event)
    }
  }

  /// Counts what a reader had in its hands when it was given up.
  func lose(_ reader: UInt64) {
    release {
      guard $0.holder == reader else { return }
      $0.holder = nil
      $0.queue.lose()
    }
  }

  /// Takes out all that waits, for somebody else.
  func takeAll() -> [Event] {
    var events: [Event] = []
    release { while let event = $0.queue.popFirst() { events.append(event) } }
    return events
  }

  /// All that waits goes, for something newer.
  func dropAll() { release { $0.queue.dropAll() } }

  /// Takes another policy.
  func change(_ policy: MailboxPolicy) { state.withLock { $0.queue.change(policy) } }

  /// Nothing more comes in; what waits goes out.
  func finish() {
    unpark {
      $0.isFinished = true
      return $0.queue.depth == 0
    }
  }

  /// Nobody takes anything any more: nobody need wait.
  func close() {
    endReading()
    release {
      $0.queue.close()
      if $0.holder != nil { $0.queue.lose() }
      $0.holder = nil
    }
  }

  /// Somebody takes again.
  func reopen() { state.withLock { $0.queue.reopen() } }

  /// Waits until all has been dealt with; returns at once when closed or cancelled.
  func waitUntilEmpty() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    release { $0.waiting.append(continuation) }
    // Ends with the stream, or with the task.
    for await _ in stream {}
  }

  private func release(_ change: (inout State) -> Void) {
    let released = state.withLock { state in
      change(&state)
      return state.takeReleased()
    }
    for continuation in released { continuation.finish() }
  }

  /// Sends the one who waits away, where a change asks for it.
  private func unpark(_ change: (inout State) -> Bool) {
    let parked = state.withLock { state -> Parked? in
      guard change(&state), let parked = state.parked else { return nil }
      state.parked = nil
      return parked
    }
    parked?.continuation.resume(returning: nil)
  }
}
