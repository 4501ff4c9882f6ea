// SPDX-License-Identifier: Apache-2.0

internal import DaemonProtocol
internal import LocationServices
internal import Positioning
internal import Synchronization
internal import SystemSupport

/// Runs the choice: gives it events and does what it says.
extension DaemonSession {
  /// What takes time, and so is done by the task that runs.
  enum Job: Sendable {
    case connect(UInt64)
    /// Those begun before are not needed any more.
    case disconnect(before: UInt64)
    case wait(DaemonChoice.Wait, UInt64, Duration)
    case look
    case decide
    case serve
    case stop
    case ask(AuthorizationRequest, after: Duration?)
    /// Tries again to replace a connection by one that tells of another activity.
    case renew(after: Duration)
  }

  func run(_ takers: Takers, isOnDemand: Bool) async {
    let (jobs, continuation) = AsyncStream.makeStream(of: Job.self)
    state.withLock { $0.begin(takers, isOnDemand: isOnDemand, continuation) }
    let watch = watchesSocket ? watchSocket() : nil
    handle(.began)
    await withDiscardingTaskGroup { group in
      var connections: [UInt64: Task<Void, Never>] = [:]
      var serving: Task<Void, Never>?
      for await job in jobs {
        switch job {
        case .connect(let number):
          connections[number] = Task { await self.connect(number) }
        case .disconnect(let number):
          for (older, task) in connections where older < number {
            task.cancel()
            connections[older] = nil
          }
        case .wait(let what, let number, let duration):
          group.addTask {
            guard (try? await self.clock.sleep(for: duration)) != nil else { return }
            self.handle(.waited(what, number))
          }
        case .look: handle(.looked(client.presence))
        case .decide: decideInProcess()
        case .serve: serving = Task { await self.serveInProcess() }
        case .stop:
          serving?.cancel()
          await serving?.value
          serving = nil
          handle(.stopped)
        case .ask(let request, let pause):
          group.addTask { await self.askAgain(request, after: pause) }
        case .renew(let pause):
          group.addTask {
            guard (try? await self.clock.sleep(for: pause)) != nil else { return }
            self.state.withLock { $0.renew() }
          }
        }
      }
      for task in [serving].compactMap({ $0 }) + Array(connections.values) {
        task.cancel()
        await task.value
      }
    }
    withExtendedLifetime(watch) {}
    state.withLock { ($0.takers, $0.jobs) = (Takers(), nil) }
  }

  /// Tells when something changes where the socket is.
  private func watchSocket() -> FolderWatch? {
    let path = client.address.socketPath
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return nil }
    let folder = FolderWatchSet.Folder(
      path: String(path[..<end]), suffix: String(path[path.index(after: end)...]))
    return FolderWatch([folder]) { [weak self] _ in self?.handle(.changed) }
  }

  func handle(_ event: DaemonChoice.Event) {
    say(order.withLock { _ in perform(state.withLock { $0.choice.handle(event) }) })
  }

  /// Says what is to be said to whoever runs the board, with nothing held: a log may block.
  private func say(_ lines: [String]) { for line in lines { report(line) } }

  /// Does what is to be done while the order is kept; gives what is to be said after.
  private func perform(_ actions: [DaemonChoice.Action]) -> [String] {
    var lines: [String] = []
    for action in actions {
      switch action {
      case .connect: state.withLock { $0.connectAnew() }
      case .look: add(.look)
      case .wait(let what, let number, let duration): add(.wait(what, number, duration))
      case .decide: add(.decide)
      case .serve: add(.serve)
      case .stop: add(.stop)
      case .mode(let mode): turn(mode)
      case .restrict: restrict()
      case .lose(let loss): state.withLock { $0.takers }.fixes(.lost(loss))
      case .report(let line): lines.append(line)
      }
    }
    return lines
  }

  func add(_ job: Job) { state.withLock { _ = $0.jobs?.yield(job) } }

  // MARK: The daemon's stream

  private func connect(_ number: UInt64) async {
    let terms = state.withLock { $0.wantedTerms }
    var request = DaemonRequest(.events, purpose: purpose, activity: terms.activity)
    request.tellsLocations = terms.tellsLocations
    do throws(DaemonClientError) {
      try await client.stream(request) { self.take($0, of: number, with: terms) }
      throw .disconnected("it has ended the connection")
    } catch {
      if !Task.isCancelled { end(of: number, error, with: terms) }
    }
  }

  private func take(_ event: DaemonEvent, of number: UInt64, with terms: Terms) {
    let lines = order.withLock { _ -> [String] in
      let isFirst: Bool? = state.withLock { state in
        guard number >= state.current else { return nil }
        guard number > state.current else { return false }
        state.begin(number, with: terms)
        return true
      }
      // What comes of one that was replaced has come already.
      guard let isFirst else { return [] }
      let takers = state.withLock { $0.takers }
      takers.events(.object(event))
      switch event {
      case .authorization(let told):
        let lines = perform(state.withLock { $0.choice.handle(.told) })
        take(told, isFirst: isFirst)
        return lines
      case .fix(let fix): takers.fixes(.fix(fix))
      case .sky(let sky): takers.fixes(.sky(sky))
      case .receiver(let receiver): takers.fixes(.receiver(receiver))
      case .lost(let loss, _): takers.fixes(.lost(loss))
      case .other:
        let reading = event.instruments(now: client.now())
        if let reading { takers.fixes(.instruments(reading)) }
      case .failure, .dropped: break
      }
      return []
    }
    say(lines)
  }

  private func end(of number: UInt64, _ error: DaemonClientError, with terms: Terms) {
    say(
      order.withLock { _ in
        switch state.withLock({ $0.end(number, error, with: terms) }) {
        case .nothing: return []
        case .report: return ["\(error)"]
        case .lost:
          state.withLock { $0.takers }.events(.lost(error))
          return perform(state.withLock { $0.choice.handle(.lost(error)) })
        }
      })
  }

  // MARK: This process

  private func serveInProcess() async {
    guard let source = alternative?.source() else { return }
    let hadFix = Mutex(false)
    var failure: String?
    do {
      try await source.run { [weak self] event in
        if case .fix(let fix) = event, fix.mode > .none { hadFix.withLock { $0 = true } }
        self?.tell(event)
      }
    } catch { failure = "\(error)" }
    if !Task.isCancelled {
      handle(.ended(failure: failure, hadFix: hadFix.withLock { $0 }))
    }
  }

  private func tell(_ event: FixSourceEvent) {
    order.withLock { _ in
      let takers = state.withLock { $0.choice.standing == .process ? $0.takers : nil }
      takers?.fixes(event)
    }
  }
}
