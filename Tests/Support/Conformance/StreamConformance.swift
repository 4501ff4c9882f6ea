// SPDX-License-Identifier: Apache-2.0

/// What every stream of every client keeps to, played or live: a suite for all of them.
///
/// It subscribes twice, cancels one, subscribes again and late, and once more after a pause. It
/// knows a client by closures alone, so that it depends on none.
package struct StreamConformance<Element: Equatable & Sendable>: Sendable {
  /// Whether an element is the one that was to come.
  package typealias Predicate = @Sendable (Element) -> Bool

  /// What a listener is given before anything happens.
  package enum Beginning: Sendable {
    /// Nothing.
    case nothing
    /// The state as it is, known apart from the stream.
    case state(@Sendable () -> Element)
    /// What the others were given last; to the first listener, what the source finds, where it
    /// finds something at once.
    ///
    /// What was last before a pause is nobody's after it.
    case newest(isFoundAtOnce: Bool)
  }

  private let subscribe: @Sendable () -> AsyncStream<Element>
  private let beginning: Beginning
  private let provoke: (@Sendable () async -> Predicate)?
  private let provokeUnheard: (@Sendable () async -> Predicate)?
  private let comesToRun: (@Sendable (_ isExpected: Bool) async -> Void)?
  private let patience: Duration
  private let clock: any Clock<Duration>

  /// Describes a stream.
  ///
  /// - Parameters:
  ///   - beginning: What a listener is given before anything happens.
  ///   - comesToRun: Returns when the source runs, or when it rests, where it runs only while
  ///     someone listens; and when its task is cancelled.
  ///   - patience: How long to wait for what should come, before it counts as missing.
  ///   - clock: What that is measured by.
  ///   - provokeUnheard: Makes something happen while nobody listens, and says how to know it, which
  ///     who comes next is given first; `nil` where that is nobody's to find.
  ///   - provoke: Makes something happen that all who listen are told of once, and says how to
  ///     know it; `nil` where nothing ever happens.
  ///   - subscribe: Starts to listen.
  package init(
    beginning: Beginning, comesToRun: (@Sendable (_ isExpected: Bool) async -> Void)? = nil,
    patience: Duration = .seconds(20), clock: any Clock<Duration> = ContinuousClock(),
    provokeUnheard: (@Sendable () async -> Predicate)? = nil,
    provoke: (@Sendable () async -> Predicate)?,
    subscribe: @escaping @Sendable () -> AsyncStream<Element>
  ) {
    self.subscribe = subscribe
    self.beginning = beginning
    self.provoke = provoke
    self.provokeUnheard = provokeUnheard
    self.comesToRun = comesToRun
    self.patience = patience
    self.clock = clock
  }

  /// Tries all rules, one after the other.
  ///
  /// - Returns: The rules that the stream breaks, each with what was heard instead.
  package func breaches() async -> [StreamBreach] {
    var breaches: [StreamBreach] = []
    func check(_ rule: StreamRule, _ heard: [Element], _ isKept: Bool) {
      if !isKept { breaches.append(StreamBreach(rule: rule, heard: heard.map { "\($0)" })) }
    }
    func checkTelling(_ rule: StreamRule, _ listeners: [StreamListener<Element>]) async -> [Told] {
      let told = await tell(listeners)
      for one in told {
        check(rule, one.listener.heard, one.isTold)
        check(.tellsOnce, one.listener.heard, one.isOnce)
      }
      return told
    }

    let (stays, leaves) = (listen(), listen())
    check(.runsWhileListenedTo, [], await runs(true))
    for listener in [stays, leaves] {
      check(.beginsWithPresent, listener.heard, await begins(listener, after: nil))
    }
    _ = await checkTelling(.tellsEverybody, [stays, leaves])

    leaves.cancel()
    check(.endsWithItsTask, leaves.heard, await wait { await leaves.waitForEnd() })
    let heardByThen = leaves.heard.count
    _ = await checkTelling(.leavingSilencesNobody, [stays])
    check(.endsWithItsTask, leaves.heard, leaves.heard.count == heardByThen)

    let late = listen()
    check(.beginsWithPresent, late.heard, await begins(late, after: stays))
    _ = await checkTelling(.tellsWhoComesAgain, [stays, late])

    stays.cancel()
    late.cancel()
    for listener in [stays, late] {
      check(.endsWithItsTask, listener.heard, await wait { await listener.waitForEnd() })
    }
    check(.runsWhileListenedTo, [], await runs(false))

    let isFound = await provokeUnheard?()
    let afterPause = listen()
    check(.runsWhileListenedTo, [], await runs(true))
    check(.beginsWithPresent, afterPause.heard, await begins(afterPause, after: nil))
    if let isFound {
      check(.forgetsOverPause, afterPause.heard, afterPause.heard.first.map(isFound) ?? false)
    }
    for one in await checkTelling(.tellsWhoComesAgain, [afterPause])
    where one.isTold && findsNothing {
      check(.forgetsOverPause, one.listener.heard, one.isFirst)
    }
    afterPause.cancel()
    _ = await wait { await afterPause.waitForEnd() }
    check(.runsWhileListenedTo, [], await runs(false))
    return breaches
  }

  /// Whether the source comes to run, or to rest.
  private func runs(_ isExpected: Bool) async -> Bool {
    guard let comesToRun else { return true }
    return await wait { await comesToRun(isExpected) }
  }

  private func listen() -> StreamListener<Element> { StreamListener(subscribe()) }

  /// Whether a listener is given first what it should.
  private func begins(
    _ listener: StreamListener<Element>, after other: StreamListener<Element>?
  ) async -> Bool {
    let expected: Element?
    switch beginning {
    case .nothing: return true
    case .newest(let isFoundAtOnce):
      expected = other?.heard.last
      if expected == nil, !isFoundAtOnce { return true }
    case .state(let state): expected = state()
    }
    guard await wait({ await listener.wait(from: 0) { _ in true } }) else { return false }
    return expected == nil || listener.heard.first == expected
  }

  /// Whether who comes after a pause is given nothing until something happens.
  private var findsNothing: Bool {
    if case .newest(isFoundAtOnce: false) = beginning { true } else { false }
  }

  /// Whether a listener was told of what happened, of nothing before it, and of what happened before
  /// only once.
  private typealias Told = (
    listener: StreamListener<Element>, isTold: Bool, isFirst: Bool, isOnce: Bool
  )

  /// Makes something happen, and says who was told of it.
  private func tell(_ listeners: [StreamListener<Element>]) async -> [Told] {
    guard let provoke else { return [] }
    let counts = listeners.map(\.heard.count)
    let isExpected = await provoke()
    var told: [Told] = []
    for (listener, count) in zip(listeners, counts) {
      let isTold = await wait { await listener.wait(from: count, until: isExpected) }
      // What is told twice of one thing comes before what is told of the next.
      let before = listener.mark(from: count, isExpected)
      let isOnce = zip(before, before.dropFirst()).allSatisfy { $0 != $1 }
      told.append((listener, isTold, listener.heard.first.map(isExpected) ?? false, isOnce))
    }
    return told
  }

  /// Whether something came about within the time.
  private func wait(_ body: @escaping @Sendable () async -> Void) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await body()
        return !Task.isCancelled
      }
      group.addTask { [patience, clock] in
        try? await clock.sleep(for: patience)
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
  }
}
