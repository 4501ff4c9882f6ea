// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Synchronization

/// A program at work: lines to its standard input, messages from its standard output.
///
/// The rest of its process group is killed when it ends.
final class ExecProcess: Sendable {
  private struct State {
    /// While it runs.
    var child: (any ExecChild)?
    var run: Task<Void, Never>?
    var end: PluginError?
    /// What it has been sent to end it.
    var shutdown: ExecShutdown
    /// For how long it wants to be left alone, where it said so last and ends then.
    var retryAfter: Duration?
  }

  private let command: ExecCommand
  private let launcher: any ExecLauncher
  private let clock: any Clock<Duration>
  private let log: ExecLog
  private let received: @Sendable (ExecMessage?) -> Void
  private let needsOutput: Bool
  private let state: Mutex<State>
  private let events: AsyncStream<ExecShutdown.Event>
  private let event: AsyncStream<ExecShutdown.Event>.Continuation
  private let greeting: ExecGreeting
  private let openings: AsyncStream<ExecGreeting.Event>
  private let opening: AsyncStream<ExecGreeting.Event>.Continuation

  /// Describes a program that does not run yet.
  ///
  /// - Parameters:
  ///   - command: The program.
  ///   - clock: What waits are measured by.
  ///   - log: Takes what is no message.
  ///   - launcher: What starts it.
  ///   - needsOutput: Whether one that has closed its standard output is of no use any more.
  ///   - received: Takes each message but hello; `nil` once there will be none any more.
  init(
    _ command: ExecCommand, clock: any Clock<Duration>, log: ExecLog,
    launcher: any ExecLauncher = ProcessLauncher(), needsOutput: Bool = false,
    received: @escaping @Sendable (ExecMessage?) -> Void
  ) {
    self.command = command
    self.clock = clock
    self.log = log
    self.launcher = launcher
    self.received = received
    self.needsOutput = needsOutput
    greeting = ExecGreeting(command: command)
    state = Mutex(
      State(
        shutdown: ExecShutdown(
          closeTime: .seconds(command.closeSeconds), killTime: .seconds(command.killSeconds))))
    (events, event) = AsyncStream.makeStream()
    (openings, opening) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(8))
  }

  /// Starts the program, greets it, and waits until it has answered, where it says hello at all.
  ///
  /// Throws `PluginError` where it cannot be started, ends, keeps silent or speaks another
  /// protocol; it is still to be stopped.
  func start(hello: [UInt8]) async throws(PluginError) {
    let variables = try command.allVariables()
    state.withLock { $0.run = Task { await run(variables) } }
    let timer = greeting.patience.map { patience in
      Task { [clock, opening] in
        guard (try? await clock.sleep(for: patience)) != nil else { return }
        opening.yield(.timeOver)
      }
    }
    defer { timer?.cancel() }
    do throws(PluginError) { try await greet(hello) } catch {
      // Whoever made a mistake and does not stop it leaves nothing behind.
      event.yield(.terminate(reason: "it had not begun as it has to"))
      throw error
    }
  }

  private func greet(_ hello: [UInt8]) async throws(PluginError) {
    for await next in openings {
      switch greeting.handle(next) {
      case .greet: try await send(hello)
      case .run: return
      case .refuse(let kind, let why): throw failure(kind, why)
      case .explainEnd: throw await ended()
      }
    }
    throw failure(.transient(), "it was not waited for")
  }

  /// Writes a line; returns when the program's pipe has taken it.
  ///
  /// Throws `PluginError` where the program is gone, or the task is cancelled: part of a line is
  /// worse than none, so that is the end of the program.
  func send(_ line: [UInt8]) async throws(PluginError) {
    guard let child = state.withLock({ $0.end == nil ? $0.child : nil }) else {
      throw await ended()
    }
    let count = await withTaskCancellationHandler {
      await child.write(line)
    } onCancel: {
      event.yield(.terminate(reason: "it had not taken in time what it was sent"))
    }
    guard count != line.count else { return }
    event.yield(.terminate(reason: nil))
    if Task.isCancelled { throw failure(.transient(), "it does not read what it is sent") }
    throw await ended()
  }

  /// Ends the program: by the end of its input, by SIGTERM, by SIGKILL; returns when it is gone.
  ///
  /// Where the task is cancelled, before or while it waits, it does not wait for the first of these.
  func stop() async {
    event.yield(Task.isCancelled ? .terminate(reason: "it had to stop at once") : .close)
    await withTaskCancellationHandler {
      await state.withLock { $0.run }?.value
    } onCancel: {
      event.yield(.terminate(reason: "it had to stop at once"))
    }
  }

  /// Why it has ended; waits until it has.
  func ended() async -> PluginError {
    await state.withLock { $0.run }?.value
    return state.withLock { $0.end } ?? failure(.transient(), "it does not run")
  }

  private func run(_ variables: [String: String]) async {
    let end = await launcher.run(command, variables: variables) { child in
      self.state.withLock { $0.child = child }
      self.opening.yield(.started)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.endWhenWanted(child) }
        await withTaskGroup(of: Void.self) { readers in
          readers.addTask {
            await self.read(.standardOutput, of: child) { self.take($0) }
            if !self.needsOutput { await child.waitUntilGone() }
            self.event.yield(.outputEnded)
          }
          readers.addTask { await self.read(.standardError, of: child) { self.log.wrote($0) } }
        }
        // It may have sent what it says elsewhere, as programs do that work in the background.
        await child.waitUntilGone()
        self.event.yield(.exited)
      }
    }
    state.withLock {
      $0.end = failure(end, after: $0.shutdown, retryAfter: $0.retryAfter)
      $0.child = nil
    }
    log.close()
    opening.yield(.ended)
    received(nil)
  }

  private func endWhenWanted(_ child: any ExecChild) async {
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    for await next in events {
      let (actions, shutdown) = state.withLock { ($0.shutdown.handle(next), $0.shutdown) }
      for action in actions {
        switch action {
        case .closeInput: await child.closeInput()
        case .signal(let number):
          if case .timedOut = next, let account = shutdown.account {
            log.tellWithin("is sent \(account)")
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
    var told: UInt64 = 0
    await child.read(output) { bytes in
      for line in splitter.take(bytes) { take(line) }
      guard splitter.overlongCount > told else { return }
      let count = splitter.overlongCount - told
      told = splitter.overlongCount
      log.passOver(
        \.overlongLines, count: count,
        "a line of more than \(command.limitBytes) bytes is dropped")
    }
    if let line = splitter.finish() { take(line) }
  }

  private func take(_ line: [UInt8]) {
    let message = ExecMessage(line, mayEcho: !command.saysHello)
    if let message {
      // Whoever goes on talking has not ended for what it said before.
      let wait: Duration? =
        if case .error(_, _, let seconds?) = message { .seconds(seconds) } else { nil }
      state.withLock { $0.retryAfter = wait }
    }
    switch message {
    case nil: log.wroteInvalid(line, mayEcho: !command.saysHello)
    case .hello(let version): opening.yield(.hello(version))
    case .other(let name):
      log.passOver(\.unknownMessages, "unknown message \(ExecLog.shown(name.utf8))")
    case let message?: received(message)
    }
  }

  private var lastWords: String { log.lastLine.map { "; its last words: \($0)" } ?? "" }

  private func failure(_ kind: PluginError.Kind, _ why: String) -> PluginError {
    PluginError(kind, command.words.first ?? "exec", why: why)
  }

  private func failure(
    _ end: ExecEnd, after shutdown: ExecShutdown, retryAfter: Duration?
  ) -> PluginError {
    failure(.transient(retryAfter: retryAfter), shutdown.sentence(for: end) + lastWords)
  }
}
