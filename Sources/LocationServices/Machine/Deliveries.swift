// SPDX-License-Identifier: Apache-2.0

internal import Positioning

/// The callbacks queued for the delegate, and the values last delivered to it.
///
/// The properties of the manager change when a callback is dequeued, so that they always agree with
/// the callbacks.
struct Deliveries {
  typealias Completion = @Sendable (LocationError?) -> Void

  private var queue: CallbackQueue
  private(set) var reported: Authorization
  private(set) var location: Location?
  private(set) var heading: Heading?

  private(set) var delegate = DelegateReference()
  private let actors: CallbackActors
  /// Completions of full-accuracy requests, by request identifier.
  private var completions: [UInt64: Completion] = [:]
  private var completionCount: UInt64 = 0
  private var isDraining = false
  /// Streams that end when the queue is empty.
  private var waiting: [AsyncStream<Never>.Continuation] = []

  init(reported: Authorization, limit: Int = 64, actors: CallbackActors = .init(chosen: nil)) {
    self.reported = reported
    queue = CallbackQueue(limit: limit)
    self.actors = actors
  }

  /// The number of locations that were dropped on overflow.
  var droppedLocations: UInt64 { queue.droppedLocations }
  /// The number of other callbacks that were dropped on overflow.
  var droppedOthers: UInt64 { queue.droppedOthers }
  /// The actor for the next callback.
  var actor: any Actor { actors.actor(for: delegate) }
  /// The completions that have not been called yet, in order.
  var pendingCompletions: [Completion] {
    completions.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Sets the delegate, and drops the callbacks for the previous one.
  mutating func attach(_ new: DelegateReference) {
    delegate = new
    queue.dropForNewDelegate()
  }

  mutating func detach() { delegate = DelegateReference() }

  /// Stores the completion of a full-accuracy request; returns the identifier of the request.
  mutating func add(_ completion: @escaping Completion) -> UInt64 {
    completionCount &+= 1
    completions[completionCount] = completion
    return completionCount
  }

  /// Applies an action of the machine.
  mutating func take(_ action: LocationMachine.Action) {
    switch action {
    case .call(let callback):
      if case .didAnswerFullAccuracy(let id, _)? = queue.append(callback) { completions[id] = nil }
    case .dropLocations: queue.dropLocations()
    case .dropPositionData: queue.dropPositionData()
    case .ask, .askFullAccuracy, .startTimer, .update, .note, .monitoringChanged: break
    }
  }

  // MARK: Delivery

  /// Begins to deliver; returns false if there is nothing to deliver or a task delivers already.
  mutating func beginDraining() -> Bool {
    guard !isDraining, queue.count > 0 else { return false }
    isDraining = true
    return true
  }

  /// Finishes a stream when the queue is empty.
  mutating func wait(_ continuation: AsyncStream<Never>.Continuation) {
    if isDraining { waiting.append(continuation) } else { continuation.finish() }
  }

  /// Returns the next delivery, or the actor of a delegate that has replaced the delegate of `actor`.
  mutating func next(on actor: any Actor) -> (Delivery?, other: (any Actor)?) {
    let needed = self.actor
    guard needed === actor else { return (nil, needed) }
    guard let callback = next() else {
      isDraining = false
      for continuation in waiting { continuation.finish() }
      waiting = []
      return (nil, nil)
    }
    var delivery = Delivery(callback: callback, delegate: delegate.delegate)
    if case .didAnswerFullAccuracy(let id, _) = callback {
      delivery.completion = completions.removeValue(forKey: id)
    }
    return (delivery, nil)
  }

  mutating func next() -> LocationCallback? {
    guard let callback = queue.next() else { return nil }
    switch callback {
    case .didChangeAuthorization(let authorization):
      let isNarrowed =
        reported.accuracy == .fullAccuracy && authorization.accuracy == .reducedAccuracy
      if isNarrowed || !authorization.status.isAuthorized { (location, heading) = (nil, nil) }
      reported = authorization
    case .didUpdateLocations(let locations): location = locations.last
    case .didUpdateHeading(let new): heading = new
    default: break
    }
    return callback
  }
}
