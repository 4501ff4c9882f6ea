// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded queue before a plugin, read by one instance of it after the other.
///
/// Nobody who sends ever waits. What an instance has taken stays in its hands until it takes the
/// next, or as long as it says where it writes several together: it can be put back from there.
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
    /// What that is, in order.
    var hands: [Event] = []
    /// Whether who has taken something is still at it, and has not only laid it by.
    var isBusy = false
    /// The reader that says for itself what it is done with.
    var batcher: UInt64?
    /// What the reader is told before the next event.
    var wake: WakeEvent?
    /// How many of those that wait were put back, and come again.
    var againCount = 0
    var isFinished = false
    var waiting: [AsyncStream<Never>.Continuation] = []

    /// Those whose wait is over.
    mutating func takeReleased() -> [AsyncStream<Never>.Continuation] {
      guard queue.isClosed || (queue.depth == 0 && !isBusy) else { return [] }
      defer { waiting = [] }
      return waiting
    }

    /// What a reader gets now; `nil` where it must wait.
    mutating func answer(_ reader: UInt64) -> Event?? {
      guard reader == self.reader else { return .some(nil) }
      if let wake {
        self.wake = nil
        return wake
      }
      guard let event = queue.popFirst() else { return isFinished ? .some(nil) : nil }
      holder = reader
      hands.append(event)
      isBusy = true
      if againCount > 0 {
        againCount -= 1
        // It has waited already, and whether it can be written now is not known.
        if againCount == 0, batcher == reader { wake = WakeEvent(writesNow: true) }
      }
      return event
    }

    /// Takes what a reader has in its hands.
    mutating func takeHands(of reader: UInt64) -> [Event] {
      guard holder == reader else { return [] }
      holder = nil
      isBusy = false
      defer { hands = [] }
      return hands
    }
  }

  private let state: Mutex<State>

  init(_ policy: MailboxPolicy) {
    state = Mutex(State(queue: Queue(policy, key: { EventKey($0) }, mayDrop: { !$0.isAlert })))
  }

  /// The counts, and how many wait.
  var queue: Queue { state.withLock { $0.queue } }

  /// How many wait.
  var depth: Int { state.withLock { $0.queue.depth } }

  /// How many a reader has laid by, to deal with them together.
  var laidByCount: Int {
    state.withLock { $0.isBusy ? max($0.hands.count - 1, 0) : $0.hands.count }
  }

  /// How many the policy has dropped.
  var droppedCount: UInt64 { state.withLock { $0.queue.droppedCount } }

  /// How many were lost: put back where nothing is kept, or there when nobody took any more.
  var lostCount: UInt64 { state.withLock { $0.queue.lostCount } }

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

  /// Lets a reader know that its timer is over.
  func wake(_ reader: UInt64) {
    let parked = state.withLock { state -> Parked? in
      guard reader == state.reader else { return nil }
      guard let parked = state.parked, parked.reader == reader else {
        // Beside whatever else it is to be told, since it sets no other timer before.
        var wake = state.wake ?? WakeEvent()
        wake.isTimerOver = true
        state.wake = wake
        return nil
      }
      state.parked = nil
      return parked
    }
    parked?.continuation.resume(returning: WakeEvent(isTimerOver: true))
  }

  /// From now on this reader says for itself what it is done with, by ``settle(_:keeping:)``.
  func beginBatches(for reader: UInt64) { state.withLock { $0.batcher = reader } }

  /// The next event for a reader; `nil` at the end, for a reader that is not this mailbox's any
  /// more, or when the task is cancelled.
  func next(for reader: UInt64) async -> Event? {
    if state.withLock({ $0.batcher }) != reader { settle(reader, keeping: 0) }
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
      $0.wake = nil
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

  /// The reader is done with all that it has taken, but for so many that it has laid by.
  ///
  /// - Returns: How many it is done with: none, where it was given up meanwhile.
  @discardableResult
  func settle(_ reader: UInt64, keeping count: Int) -> Int {
    var settled = 0
    release { state in
      guard state.holder == reader else { return }
      state.isBusy = false
      settled = max(state.hands.count - count, 0)
      // All is written together, and passed over is what has come last.
      state.hands.removeLast(settled)
      if state.hands.isEmpty { state.holder = nil }
    }
    return settled
  }

  /// Takes back what the reader could not deal with: kept or counted as lost.
  func putBack(from reader: UInt64) {
    release { state in
      let hands = state.takeHands(of: reader)
      for event in hands.reversed() where state.queue.putBack(event) { state.againCount += 1 }
    }
  }

  /// Counts what a reader had in its hands when it was given up.
  ///
  /// - Parameters:
  ///   - reader: The reader.
  ///   - isFinal: Whether it will not say any more what has become of it.
  func lose(_ reader: UInt64, isFinal: Bool) {
    release { state in
      guard isFinal || !state.queue.policy.keepsRefused else { return }
      for _ in state.takeHands(of: reader) { state.queue.lose() }
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
      if let holder = $0.holder { for _ in $0.takeHands(of: holder) { $0.queue.lose() } }
      $0.againCount = 0
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
