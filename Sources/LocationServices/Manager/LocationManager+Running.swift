// SPDX-License-Identifier: Apache-2.0

public import Positioning
internal import Synchronization

/// Runs the state machine: passes events to it and performs its actions.
extension LocationManager {
  /// Processes an event of the source; returns at once.
  ///
  /// A fix without a position is an outage, like a lost source, and never delivered as a location.
  public func ingest(_ event: FixSourceEvent) {
    switch event {
    case .fix(let fix):
      handle(Location(fix).map { .location($0) } ?? .noPosition(fix))
      if let heading = Heading(fix) { ingest(heading) }
    case .lost: handle(.positionLost)
    case .sky(let sky): handle(.sky(sky.satellites.count))
    case .connected, .receiver: handle(.receiverFound)
    case .instruments, .sentences, .message: break
    }
  }

  /// Processes a heading; returns at once.
  public func ingest(_ heading: Heading) {
    handle(.heading(heading))
  }

  /// Reports that the source has ended or failed.
  public func sourceDidFail() { handle(.positionLost) }

  func handle(_ event: LocationMachine.Event) { handle(making: { _ in event }) }

  /// Builds and handles an event under the lock, so that no other event is handled first.
  func handle(making event: (inout State) -> LocationMachine.Event) {
    let time = now()
    let (actions, startsDraining, deliversNotes) = state.withLock { state in
      let listenerActions = countListeners(&state, at: time)
      let event = event(&state)
      let actions = listenerActions + handle(event, in: &state, at: time)
      for action in actions {
        state.deliveries.take(action)
        switch action {
        case .startTimer(let timer, let duration): start(timer, duration, in: &state)
        case .update(let update): state.live.send(update)
        default: break
        }
      }
      for timer in state.tasks.timers where !state.machine.needs(timer) {
        state.tasks.cancel(.timer(timer))
      }
      return (
        actions, state.deliveries.beginDraining(), state.notes.add(actions.compactMap(\.use))
      )
    }
    reducedCell.save()
    // The task ends when the queue is empty.
    if startsDraining { Task(executorPreference: executor) { [self] in await drain() } }
    if deliversNotes { deliverNotes() }
    for action in actions { perform(action) }
  }

  /// Passes queued service uses to the policy until the queue is empty.
  ///
  /// Runs without the lock, because the policy is foreign code. The queue keeps the order.
  func deliverNotes() {
    while let use = state.withLock({ $0.notes.next() }) { policy.note(use) }
  }

  /// Handles an event; if it is a location to be reduced, uses the cell that all managers share.
  private func handle(
    _ event: LocationMachine.Event, in state: inout State, at time: MonotonicTime
  ) -> [LocationMachine.Action] {
    guard case .location = event, state.machine.choosesCell(at: time) else {
      return state.machine.handle(event, at: time)
    }
    return reducedCell.lend(isChoosing: true) { memory in
      state.machine.reducedMemory = memory
      let actions = state.machine.handle(event, at: time)
      memory = state.machine.reducedMemory
      return actions
    }
  }

  /// Performs the actions that call foreign code (policy and storage), outside the lock.
  func perform(_ action: LocationMachine.Action) {
    switch action {
    case .ask(let request, let purpose, let number):
      ask(.authorization(number: number)) { [policy] in
        .answered(number, await policy.answer(request, purpose: purpose))
      }
    case .askFullAccuracy(let key, let number, let id):
      ask(.fullAccuracy(number: number)) { [policy] in
        .answeredFullAccuracy(
          number: number, id: id, await policy.decideFullAccuracy(purposeKey: key))
      }
    case .monitoringChanged: save()
    case .note, .call, .dropLocations, .dropPositionData, .startTimer, .update: break
    }
  }

  /// Runs a policy request in a task that is cancelled with the manager, because an operator may
  /// take long to answer.
  private func ask(
    _ request: ManagerTasks.Key, _ answer: @escaping @Sendable () async -> LocationMachine.Event
  ) {
    state.withLock { state in
      state.tasks.run(request) { [weak self] in
        let event = await answer()
        self?.state.withLock { $0.tasks.finish(request) }
        self?.handle(event)
      }
    }
  }

  private func save() {
    guard let storage else { return }
    saving.withLock { _ in storage.save(state.withLock { $0.machine.monitoringState }) }
  }

  private func start(
    _ timer: LocationMachine.Timer, _ duration: Duration?, in state: inout State
  ) {
    state.tasks.run(.timer(timer)) { [weak self, clock, requestTimeout] in
      // `sleep` throws only on cancellation.
      guard (try? await clock.sleep(for: duration ?? requestTimeout)) != nil else { return }
      self?.handle(.timedOut(timer))
    }
  }

  // MARK: Calling the delegate

  /// Delivers until the queue is empty; callbacks that the delegate causes during a call
  /// are appended to the queue.
  private func drain() async {
    var actor: (any Actor)? = state.withLock { $0.deliveries.actor }
    while let current = actor { actor = await current.perform { self.drain(on: current) } }
  }

  /// Delivers on an actor; returns the actor for the remaining callbacks, or `nil` if the queue is
  /// empty.
  private func drain(on actor: any Actor) -> (any Actor)? {
    while true {
      let (delivery, other) = state.withLock { $0.deliveries.next(on: actor) }
      guard let delivery else { return other }
      delivery.perform(for: self)
    }
  }
}
