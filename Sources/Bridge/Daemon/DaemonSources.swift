// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import Positioning
internal import Synchronization

/// Runs the sources that the configuration names, opened once and kept open; those that fail again
/// with back-off, and others when it names others: those that it names as before go on.
final class DaemonSources: Sendable {
  /// What the daemon says of its sources.
  struct Standing: Sendable {
    /// What they are called together.
    var name = ""
    var state = PluginStatus.State.stopped
    var errorCount: UInt64 = 0
    var restartCount: UInt64 = 0
    var lastError: String?
    /// When a fix with a position came last.
    var lastFixAt: MonotonicTime?
    var session: SourceSession?
  }

  private struct State: Sendable {
    var settings: [SourceSettings]
    /// What runs, or was opened last: what was asked for last, where that could be had.
    var running: [SourceSettings.Kind]
    /// Whether they are open.
    var isOpen = false
    /// Whether what runs is being told to go on with others.
    var isReplacing = false
    /// Ends when the settings change.
    var change: AsyncStream<Never>.Continuation?
    /// Why they failed, as it was told last; `nil` since fixes came.
    var failure: String?
    /// Whether anything has been said of them since it was told.
    var hasSpoken = false
    var standing = Standing()
  }

  private let state: Mutex<State>
  private let factory: SourceFactory
  private let environment: PipelineEnvironment
  private let restart: RestartPolicy
  private let deliver: @Sendable (FixSourceEvent, _ name: String) -> Void
  private let report: @Sendable (DaemonNotice) -> Void

  /// Makes sources that open nothing until they run.
  ///
  /// - Parameters:
  ///   - settings: The sources.
  ///   - factory: Where they are made.
  ///   - environment: What waits are measured by.
  ///   - restart: How long one that failed waits.
  ///   - deliver: Takes what they say; returns at once.
  ///   - report: Takes what is to be logged; returns at once.
  init(
    _ settings: [SourceSettings], factory: SourceFactory,
    environment: PipelineEnvironment = PipelineEnvironment(),
    restart: RestartPolicy = RestartPolicy(most: .seconds(60)),
    deliver: @escaping @Sendable (FixSourceEvent, _ name: String) -> Void,
    report: @escaping @Sendable (DaemonNotice) -> Void
  ) {
    state = Mutex(State(settings: settings, running: settings.map(\.kind)))
    // The daemon answers at its own socket, and would hear itself.
    var factory = factory
    factory.daemon = { nil }
    self.factory = factory
    self.environment = environment
    self.restart = restart
    self.deliver = deliver
    self.report = report
  }

  /// How they stand.
  var standing: Standing { state.withLock { $0.standing } }

  /// Takes other sources, without a break for those that are among them with the same settings.
  ///
  /// Where what runs cannot go on with others, as a recording cannot, it is closed first and all
  /// are opened then. Where one of them cannot be had, what runs goes on as it is, and why is told.
  ///
  /// - Parameter settings: The sources; the same as before change nothing, whatever they are called.
  func apply(_ settings: [SourceSettings]) {
    let kinds = settings.map(\.kind)
    let (isSame, session) = state.withLock { state in
      state.settings = settings
      let isSame = kinds == state.running
      state.isReplacing = !isSame
      return (isSame, state.standing.session)
    }
    if isSame { return }
    let (goesOn, fault) = Self.replace(session, kinds)
    let staysFor = state.withLock { state -> String? in
      state.isReplacing = false
      if goesOn, let session = state.standing.session {
        state.running = kinds
        state.standing.name = session.source.name
        return nil
      }
      guard let fault, state.isOpen else {
        state.change?.finish()
        return nil
      }
      // To close what runs would mend nothing: of what is asked for, nothing could be opened.
      state.standing.errorCount &+= 1
      state.standing.lastError = fault
      return fault
    }
    if let staysFor { report(.sourcesNotChanged(reason: staysFor)) }
  }

  /// Asks a session to go on with others: whether it does, and why one of them cannot be had.
  private static func replace(
    _ session: SourceSession?, _ kinds: [SourceSettings.Kind]
  ) -> (goesOn: Bool, fault: String?) {
    do {
      return (try session?.replace(kinds.map { SourceSpecification($0) }) ?? false, nil)
    } catch {
      return (false, "\(error)")
    }
  }

  /// Runs until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let (changed, change) = AsyncStream.makeStream(of: Never.self)
      state.withLock { state in
        state.change = change
        (state.failure, state.hasSpoken) = (nil, false)
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.keepRunning() }
        group.addTask { for await _ in changed {} }
        await group.next()
        group.cancelAll()
      }
      takeBack()
    }
    state.withLock { $0.standing.state = .stopped }
  }

  /// What those said that have been closed for others is not true any more.
  private func takeBack() {
    let name = state.withLock { $0.hasSpoken ? $0.standing.name : nil }
    guard let name, !Task.isCancelled else { return }
    let loss = SourceLoss(.deactivated, detail: "the configuration names other sources")
    deliver(.lost(loss), name)
  }

  /// Runs the sources until the task is cancelled, however often they fail.
  private func keepRunning() async {
    var generator = environment.makeGenerator()
    var failures = 0
    while !Task.isCancelled {
      let began = environment.now()
      let failure = await runOnce()
      if Task.isCancelled { return }
      guard let failure else {
        // A recording is over, and is not played again.
        state.withLock { $0.standing.state = .stopped }
        report(.sourceEnded(name: standing.name))
        return await BridgeRun.untilCancelled()
      }
      if environment.now().seconds(since: began) >= restart.healthyAfter / .seconds(1) {
        failures = 0
      }
      let delay = restart.delay(after: failures, retryAfter: nil, using: &generator)
      failures += 1
      let (isRepeated, name) = state.withLock { state in
        state.standing.state = .waiting
        state.standing.errorCount &+= 1
        state.standing.lastError = failure
        defer { (state.failure, state.hasSpoken) = (failure, false) }
        return (state.failure == failure && !state.hasSpoken, state.standing.name)
      }
      report(.sourceFailed(name: name, reason: failure, again: delay, isRepeated: isRepeated))
      // What it said last is not true any more; where it has said nothing since, that is known.
      if !isRepeated { deliver(.lost(SourceLoss(.disconnected, detail: failure)), name) }
      // One that is cancelled while it waits is not run again.
      guard (try? await environment.clock.sleep(for: delay)) != nil else { return }
      state.withLock { $0.standing.restartCount &+= 1 }
    }
  }

  /// - Returns: Why they failed; `nil` where they came to their end.
  private func runOnce() async -> String? {
    let session: SourceSession
    // Until it is made, and where it cannot be, it is called what the configuration calls it.
    let settings = state.withLock { state in
      state.standing.name = state.settings.map(\.name).joined(separator: ", ")
      state.standing.session = nil
      state.standing.lastFixAt = nil
      state.running = state.settings.map(\.kind)
      return state.settings
    }
    do {
      session = try factory.session(for: settings.map { SourceSpecification($0.kind) })
    } catch {
      return "\(error)"
    }
    state.withLock { state in
      state.standing.name = session.source.name
      state.standing.session = session
      state.standing.state = .running
      state.isOpen = true
    }
    defer { state.withLock { $0.isOpen = false } }
    return await withTaskGroup(of: End?.self) { group in
      group.addTask { await self.end(of: session.source) }
      group.addTask {
        await session.companion()
        return nil
      }
      var end: End?
      while end == nil, let next = await group.next() { end = next }
      group.cancelAll()
      return end?.failure
    }
  }

  /// Takes what the source says into its standing: one whose receiver is lost waits for it.
  ///
  /// - Returns: What they are called together at present.
  private func note(_ event: FixSourceEvent) -> String {
    let now = environment.now()
    let (name, hasRecovered) = state.withLock { state in
      var hasRecovered = false
      state.hasSpoken = true
      switch event {
      case .fix(let fix):
        hasRecovered = state.failure != nil
        state.failure = nil
        state.standing.state = .running
        if fix.coordinate != nil { state.standing.lastFixAt = now }
      case .lost(let loss) where state.isReplacing && loss.reason == .deactivated:
        // It was meant, and what is true of those that are left is yet to be seen.
        state.standing.state = .running
        (state.standing.lastFixAt, state.standing.lastError) = (nil, nil)
      case .lost(let loss):
        state.standing.state = .waiting
        state.standing.errorCount &+= 1
        state.standing.lastError = "\(loss)"
      case .sky, .instruments, .connected, .receiver: break
      }
      return (state.standing.name, hasRecovered)
    }
    if hasRecovered { report(.sourceRecovered(name: name)) }
    return name
  }

  private struct End { var failure: String? }

  private func end(of source: some FixSource) async -> End {
    do {
      try await source.run { event in
        let name = self.note(event)
        self.deliver(event, name)
      }
      return End(failure: nil)
    } catch {
      return End(failure: "\(error)")
    }
  }
}

extension SourceSpecification {
  /// What the configuration names, as the command line would.
  init(_ kind: SourceSettings.Kind) {
    switch kind {
    case .auto: self = .auto
    case .serial(let device, let baud): self = .serial(devnode: device, baud: baud)
    case .gpsd(let host, let port): self = .gpsd(host: host, port: "\(port)")
    case .replay(let file): self = .replay(file: file)
    case .simulated: self = .simulated
    }
  }
}
