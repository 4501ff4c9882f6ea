// SPDX-License-Identifier: Apache-2.0

internal import FixcastConfiguration
internal import Pipeline
internal import Positioning
internal import Synchronization

/// Runs the sources that the configuration names, opened once and kept open; those that fail again
/// with back-off, and others when it names others.
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
    /// Ends when the settings change.
    var change: AsyncStream<Never>.Continuation?
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
    state = Mutex(State(settings: settings))
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

  /// Takes other sources; those that run are closed first, since two cannot hold one port.
  ///
  /// - Parameter settings: The sources; the same as before change nothing, whatever they are called.
  func apply(_ settings: [SourceSettings]) {
    state.withLock { state in
      let isSame = settings.map(\.kind) == state.settings.map(\.kind)
      state.settings = settings
      if !isSame { state.change?.finish() }
    }
  }

  /// Runs until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let (changed, change) = AsyncStream.makeStream(of: Never.self)
      let settings = state.withLock { state in
        state.change = change
        return state.settings
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.keepRunning(settings) }
        group.addTask { for await _ in changed {} }
        await group.next()
        group.cancelAll()
      }
    }
    state.withLock { $0.standing.state = .stopped }
  }

  /// Runs one set of sources until the task is cancelled, however often they fail.
  private func keepRunning(_ settings: [SourceSettings]) async {
    var generator = environment.makeGenerator()
    var failures = 0
    while !Task.isCancelled {
      let began = environment.now()
      let failure = await runOnce(settings)
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
      state.withLock { state in
        state.standing.state = .waiting
        state.standing.errorCount &+= 1
        state.standing.lastError = failure
      }
      report(.sourceFailed(name: standing.name, reason: failure, again: delay))
      // What it said last is not true any more.
      deliver(.lost(SourceLoss(.disconnected, detail: failure)), standing.name)
      // One that is cancelled while it waits is not run again.
      guard (try? await environment.clock.sleep(for: delay)) != nil else { return }
      state.withLock { $0.standing.restartCount &+= 1 }
    }
  }

  /// - Returns: Why they failed; `nil` where they came to their end.
  private func runOnce(_ settings: [SourceSettings]) async -> String? {
    let session: SourceSession
    // Until it is made, and where it cannot be, it is called what the configuration calls it.
    state.withLock { state in
      state.standing.name = settings.map(\.name).joined(separator: ", ")
      state.standing.session = nil
      state.standing.lastFixAt = nil
    }
    do {
      session = try factory.session(for: settings.map { SourceSpecification($0.kind) })
    } catch {
      return "\(error)"
    }
    let name = session.source.name
    state.withLock { state in
      state.standing.name = name
      state.standing.session = session
      state.standing.state = .running
    }
    return await withTaskGroup(of: End?.self) { group in
      group.addTask { await self.end(of: session.source, name) }
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
  private func note(_ event: FixSourceEvent) {
    let now = environment.now()
    state.withLock { state in
      switch event {
      case .fix(let fix):
        state.standing.state = .running
        if fix.coordinate != nil { state.standing.lastFixAt = now }
      case .lost(let loss):
        state.standing.state = .waiting
        state.standing.errorCount &+= 1
        state.standing.lastError = "\(loss)"
      case .sky, .connected, .receiver: break
      }
    }
  }

  private struct End { var failure: String? }

  private func end(of source: some FixSource, _ name: String) async -> End {
    do {
      try await source.run { event in
        self.note(event)
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
