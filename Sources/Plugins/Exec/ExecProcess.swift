// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Synchronization

/// A running program, which reads lines from its standard input and writes messages to its standard
/// output.
///
/// When the program ends, the remaining processes in its process group are killed.
final class ExecProcess: Sendable {
  private struct State {
    /// The program while it runs.
    var child: (any ExecChild)?
    var run: Task<Void, Never>?
    var end: PluginError?
    /// The progress of ending the program.
    var shutdown: ExecShutdown
    /// The restart delay that the program requested in its last message.
    var retryAfter: Duration?
  }

  private let command: ExecCommand
  private let launcher: any ExecLauncher
  private let clock: any Clock<Duration>
  private let log: ExecLog
  private let handleMessage: @Sendable (ExecMessage?) -> Void
  private let needsOutput: Bool
  private let state: Mutex<State>
  private let events: AsyncStream<ExecShutdown.Event>
  private let event: AsyncStream<ExecShutdown.Event>.Continuation
  private let handshake: ExecHandshake
  private let handshakeEvents: AsyncStream<ExecHandshake.Event>
  private let handshakeEvent: AsyncStream<ExecHandshake.Event>.Continuation

  /// Creates a process without starting it.
  ///
  /// - Parameters:
  ///   - command: The program.
  ///   - clock: The clock for time limits.
  ///   - log: Receives unusable output.
  ///   - launcher: Starts the program.
  ///   - needsOutput: Whether to end the program when it closes its standard output.
  ///   - handleMessage: Called for each message except `HELLO`, and with `nil` when the program has
  ///     ended.
  init(
    _ command: ExecCommand, clock: any Clock<Duration>, log: ExecLog,
    launcher: any ExecLauncher = ProcessLauncher(), needsOutput: Bool = false,
    handleMessage: @escaping @Sendable (ExecMessage?) -> Void
  ) {
    self.command = command
    self.clock = clock
    self.log = log
    self.launcher = launcher
    self.handleMessage = handleMessage
    self.needsOutput = needsOutput
    handshake = ExecHandshake(command: command)
    state = Mutex(
      State(
        shutdown: ExecShutdown(
          closeTime: .seconds(command.closeSeconds), killTime: .seconds(command.killSeconds))))
    (events, event) = AsyncStream.makeStream()
    (handshakeEvents, handshakeEvent) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(8))
  }

  /// Starts the program, and waits for the handshake unless the program has none.
  ///
  /// Throws `PluginError` if the program cannot be started, ends, sends no `HELLO` in time or uses
  /// another protocol version. The caller must call ``stop()`` even after an error.
  func start(hello: [UInt8]) async throws(PluginError) {
    let variables = try command.allVariables()
    state.withLock { $0.run = Task { await run(variables) } }
    let timer = handshake.timeLimit.map { timeLimit in
      Task { [clock, handshakeEvent] in
        guard (try? await clock.sleep(for: timeLimit)) != nil else { return }
        handshakeEvent.yield(.timedOut)
      }
    }
    defer { timer?.cancel() }
    do throws(PluginError) { try await shakeHands(hello) } catch {
      // End the program even if the caller does not call `stop` after the error.
      event.yield(.terminate(reason: "it failed to start"))
      throw error
    }
  }

  private func shakeHands(_ hello: [UInt8]) async throws(PluginError) {
    for await next in handshakeEvents {
      switch handshake.handle(next) {
      case .sendHello: try await send(hello)
      case .run: return
      case .refuse(let kind, let why): throw failure(kind, why)
      case .reportEnd: throw await waitForEnd()
      }
    }
    throw failure(.transient(), "its start was cancelled")
  }

  /// Writes a line; returns when the program's pipe has accepted it.
  ///
  /// Throws `PluginError` if the program has ended or the task is cancelled. A line that was partly
  /// written cannot be completed, so in this case the program is ended too.
  func send(_ line: [UInt8]) async throws(PluginError) {
    guard let child = state.withLock({ $0.end == nil ? $0.child : nil }) else {
      throw await waitForEnd()
    }
    let count = await withTaskCancellationHandler {
      await child.write(line)
    } onCancel: {
      event.yield(.terminate(reason: "it did not read its input in time"))
    }
    guard count != line.count else { return }
    event.yield(.terminate(reason: nil))
    if Task.isCancelled { throw failure(.transient(), "it does not read its input") }
    throw await waitForEnd()
  }

  /// Ends the program by closing its input, then with SIGTERM, then with SIGKILL; returns when the
  /// program has ended.
  ///
  /// If the task is cancelled, SIGTERM is sent at once.
  func stop() async {
    event.yield(Task.isCancelled ? .terminate(reason: "it had to stop immediately") : .close)
    await withTaskCancellationHandler {
      await state.withLock { $0.run }?.value
    } onCancel: {
      event.yield(.terminate(reason: "it had to stop immediately"))
    }
  }

  /// Waits until the program has ended, and returns an error that describes how it ended.
  func waitForEnd() async -> PluginError {
    await state.withLock { $0.run }?.value
    return state.withLock { $0.end } ?? failure(.transient(), "it is not running")
  }

  private func run(_ variables: [String: String]) async {
    let end = await launcher.run(command, variables: variables) { child in
      self.state.withLock { $0.child = child }
      self.handshakeEvent.yield(.started)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.handleShutdown(child) }
        await withTaskGroup(of: Void.self) { readers in
          readers.addTask {
            await self.read(.standardOutput, of: child) { self.take($0) }
            if !self.needsOutput { await child.waitUntilEnded() }
            self.event.yield(.outputEnded)
          }
          readers.addTask {
            await self.read(.standardError, of: child) { self.log.logStandardError($0) }
          }
        }
        // The outputs may end before the program, if the program has closed or redirected them.
        await child.waitUntilEnded()
        self.event.yield(.exited)
      }
    }
    state.withLock {
      $0.end = failure(end, after: $0.shutdown, retryAfter: $0.retryAfter)
      $0.child = nil
    }
    log.close()
    handshakeEvent.yield(.ended)
    handleMessage(nil)
  }

  private func handleShutdown(_ child: any ExecChild) async {
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    for await next in events {
      let (actions, shutdown) = state.withLock { ($0.shutdown.handle(next), $0.shutdown) }
      for action in actions {
        switch action {
        case .closeInput: await child.closeInput()
        case .signal(let number):
          if case .timedOut = next, let lastSignal = shutdown.lastSignal {
            log.logRateLimited("sending \(lastSignal)")
          }
          await child.signal(number)
        case .startTimer(let number, let duration):
          timer?.cancel()
          timer = Task { [clock, event] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            event.yield(.timedOut(number))
          }
        case .done: return
        }
      }
    }
  }

  private func read(
    _ output: ExecOutput, of child: any ExecChild, _ take: ([UInt8]) -> Void
  ) async {
    var splitter = LineSplitter(limit: command.limitBytes)
    var reported: UInt64 = 0
    await child.read(output) { bytes in
      for line in splitter.take(bytes) { take(line) }
      guard splitter.overlongCount > reported else { return }
      let count = splitter.overlongCount - reported
      reported = splitter.overlongCount
      log.countIgnored(
        \.overlongLines, count: count,
        "dropped a line of more than \(command.limitBytes) bytes")
    }
    if let line = splitter.finish() { take(line) }
  }

  private func take(_ line: [UInt8]) {
    let message = ExecMessage(line, mayEcho: !command.usesHandshake)
    if let message {
      // Only a request in the last message is used, so a message without a request clears it.
      let wait: Duration? =
        if case .error(_, _, let seconds?) = message { .seconds(seconds) } else { nil }
      state.withLock { $0.retryAfter = wait }
    }
    switch message {
    case nil: log.logInvalid(line, mayEcho: !command.usesHandshake)
    case .hello(let version): handshakeEvent.yield(.hello(version))
    case .other(let name):
      log.countIgnored(\.unknownMessages, "unknown message \(ExecLog.shown(name.utf8))")
    case let message?: handleMessage(message)
    }
  }

  private var lastErrorLine: String {
    log.lastLine.map { "; last line of standard error: \($0)" } ?? ""
  }

  private func failure(_ kind: PluginError.Kind, _ why: String) -> PluginError {
    PluginError(kind, command.words.first ?? "exec", why: why)
  }

  private func failure(
    _ end: ExecEnd, after shutdown: ExecShutdown, retryAfter: Duration?
  ) -> PluginError {
    failure(.transient(retryAfter: retryAfter), shutdown.description(of: end) + lastErrorLine)
  }
}
