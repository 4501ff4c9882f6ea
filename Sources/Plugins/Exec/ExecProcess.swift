// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Pipeline
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A program at work: lines to its standard input, messages from its standard output.
///
/// It gets no descriptor but those three, few variables, and a session of its own. What it has
/// started is ended with it, in that session and beyond as far as it can be found.
final class ExecProcess: Sendable {
  private enum Opening: Sendable { case input(StandardInputWriter), hello(Int), timeOver, ended }

  private struct State {
    var input: StandardInputWriter?
    var run: Task<Void, Never>?
    var end: PluginError?
    /// For how long it wants to be left alone when it has ended.
    var retryAfter: Duration?
  }

  private let command: ExecCommand
  private let family: ExecFamily
  private let programs: ExecPrograms
  private let clock: any Clock<Duration>
  private let log: ExecLog
  private let received: @Sendable (ExecMessage?) -> Void
  private let state = Mutex(State())
  private let events: AsyncStream<ExecShutdown.Event>
  private let event: AsyncStream<ExecShutdown.Event>.Continuation
  private let openings: AsyncStream<Opening>
  private let opening: AsyncStream<Opening>.Continuation

  /// Writing to a program that is gone is an error, and not the end of this one.
  private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  /// Describes a program that does not run yet.
  ///
  /// - Parameters:
  ///   - command: The program.
  ///   - clock: What waits are measured by.
  ///   - log: Takes what is no message.
  ///   - family: What finds all that it starts.
  ///   - programs: Where it is known while it runs.
  ///   - received: Takes each message but the first; `nil` once there will be none any more.
  init(
    _ command: ExecCommand, clock: any Clock<Duration>, log: ExecLog,
    family: ExecFamily = ExecFamily(), programs: ExecPrograms = .shared,
    received: @escaping @Sendable (ExecMessage?) -> Void
  ) {
    self.command = command
    self.clock = clock
    self.log = log
    self.family = family
    self.programs = programs
    self.received = received
    (events, event) = AsyncStream.makeStream()
    (openings, opening) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(8))
  }

  /// Starts the program, greets it, and waits until it has answered.
  ///
  /// - Parameter hello: The line that it is greeted with.
  /// - Throws: `PluginError` where it cannot be started, ends, keeps silent or speaks another
  ///   protocol; it is still to be stopped.
  func start(hello: [UInt8]) async throws(PluginError) {
    Self.ignoresBrokenPipes
    let variables = try command.allVariables()
    state.withLock { $0.run = Task { await run(variables) } }
    let timer = Task { [clock, opening, command] in
      guard (try? await clock.sleep(for: .seconds(command.helloSeconds))) != nil else { return }
      opening.yield(.timeOver)
    }
    defer { timer.cancel() }
    do throws(PluginError) { try await greet(hello) } catch {
      // Whoever made a mistake and does not stop it leaves nothing behind.
      event.yield(.terminate)
      throw error
    }
  }

  private func greet(_ hello: [UInt8]) async throws(PluginError) {
    for await next in openings {
      switch next {
      case .input: try await send(hello)
      case .hello(ExecCommand.protocolVersion): return
      case .hello(let version):
        throw failure(
          .unsupported,
          "it speaks protocol \(version), and this fixcast \(ExecCommand.protocolVersion)")
      case .timeOver:
        let seconds = Text.fixed(command.helloSeconds, 1)
        throw failure(
          .transient(),
          "it said no hello within \(seconds) s; its first line has to be "
            + "{\"class\":\"HELLO\",\"protocol\":\(ExecCommand.protocolVersion)}")
      case .ended: throw await ended()
      }
    }
    throw failure(.transient(), "it was not waited for")
  }

  /// Writes a line; returns when the program's pipe has taken it.
  ///
  /// - Parameter line: The line with its end.
  /// - Throws: `PluginError` where the program is gone, or the task is cancelled: part of a line is
  ///   worse than none, so that is the end of the program.
  func send(_ line: [UInt8]) async throws(PluginError) {
    guard let input = state.withLock({ $0.end == nil ? $0.input : nil }) else {
      throw await ended()
    }
    let count = await withTaskCancellationHandler {
      (try? await input.write(line)) ?? -1
    } onCancel: {
      event.yield(.terminate)
    }
    guard count != line.count else { return }
    event.yield(.terminate)
    if Task.isCancelled { throw failure(.transient(), "it does not read what it is sent") }
    throw await ended()
  }

  /// Ends the program: by the end of its input, by SIGTERM, by SIGKILL; returns when it is gone.
  ///
  /// Where the task is cancelled, before or while it waits, it does not wait for the first of these.
  func stop() async {
    event.yield(Task.isCancelled ? .terminate : .close)
    await withTaskCancellationHandler {
      await state.withLock { $0.run }?.value
    } onCancel: {
      event.yield(.terminate)
    }
  }

  /// Why it has ended; waits until it has.
  func ended() async -> PluginError {
    await state.withLock { $0.run }?.value
    return state.withLock { $0.end } ?? failure(.transient(), "it does not run")
  }

  private func run(_ own: [String: String]) async {
    var options = PlatformOptions()
    options.createSession = true
    let path = command.words.first ?? ""
    let marked = own.merging([ExecFamily.variable: family.mark]) { $1 }
    let variables = Dictionary(
      marked.map { (Environment.Key(stringLiteral: $0), $1) }
    ) { first, _ in first }
    let end: PluginError
    do {
      let result = try await Subprocess.run(
        path.contains("/") ? .path(FilePath(path)) : .name(path),
        arguments: Arguments(Array(command.words.dropFirst())),
        environment: .custom(variables),
        platformOptions: options, input: .inputWriter, output: .sequence, error: .sequence
      ) { execution in
        let input = execution.standardInputWriter
        state.withLock { $0.input = input }
        opening.yield(.input(input))
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await self.endWhenWanted(execution) }
          await withTaskGroup(of: Void.self) { readers in
            readers.addTask {
              await self.read(execution.standardOutput) { self.take($0) }
              self.event.yield(.outputEnded)
            }
            readers.addTask { await self.read(execution.standardError) { self.log.wrote($0) } }
          }
          event.yield(.exited)
        }
      }
      let retryAfter = state.withLock { $0.retryAfter }
      end = failure(
        .transient(retryAfter: retryAfter), Self.text(result.terminationStatus) + lastWords)
    } catch {
      end = failure(.transient(), "it cannot be started: \(reason(error))")
    }
    state.withLock {
      $0.end = end
      $0.input = nil
    }
    opening.yield(.ended)
    received(nil)
  }

  private func endWhenWanted<Output, Failure>(
    _ execution: Execution<CustomWriteInput, Output, Failure>
  ) async {
    var shutdown = ExecShutdown(
      closeTime: .seconds(command.closeSeconds), killTime: .seconds(command.killSeconds))
    let program = execution.processIdentifier.value
    let family = family
    let number = programs.add(program, family)
    defer { programs.remove(number) }
    var known: [ExecFamily.Process] = []
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    for await next in events {
      for action in shutdown.handle(next) {
        switch action {
        case .closeInput:
          // When it has ended, they are nobody's children any more.
          known = await OwnThread.value { [known] in family.members(of: program, known) }
          try? await execution.standardInputWriter.finish()
        case .signal(let number):
          // It is not reaped yet, so the number is still its own.
          kill(-program, number)
          if number == SIGKILL {
            // It waits for them, up to a second: the pool has a thread a core, for everything.
            await OwnThread.value { [known] in family.kill(of: program, known) }
          } else {
            known = await OwnThread.value { [known] in family.signal(number, of: program, known) }
          }
        case .startTimer(let number, let duration):
          timer?.cancel()
          timer = Task { [clock, event] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            event.yield(.timeOver(number))
          }
        case .done: return
        }
      }
    }
  }

  private func read(_ output: SubprocessOutputSequence, _ take: ([UInt8]) -> Void) async {
    var splitter = LineSplitter(limit: command.limitBytes)
    var told: UInt64 = 0
    do {
      for try await buffer in output {
        for line in buffer.withUnsafeBytes({ splitter.take($0) }) { take(line) }
        if splitter.overlongCount > told {
          let count = splitter.overlongCount - told
          told = splitter.overlongCount
          log.count { $0.overlongLines &+= count }
          log.tellWithin("a line of more than \(command.limitBytes) bytes is dropped")
        }
      }
    } catch {
      // It is over with the program, whatever it is: its end says why.
    }
    if let line = splitter.finish() { take(line) }
  }

  private func take(_ line: [UInt8]) {
    switch ExecMessage(line) {
    case nil: log.wroteInvalid(line)
    case .hello(let version): opening.yield(.hello(version))
    case .other(let name):
      log.count { $0.unknownMessages &+= 1 }
      log.tellWithin("unknown message \(name)")
    case let message?:
      if case .error(_, _, let seconds?) = message {
        state.withLock { $0.retryAfter = .seconds(seconds) }
      }
      received(message)
    }
  }

  private var lastWords: String { log.lastLine.map { "; its last words: \($0)" } ?? "" }

  private func failure(_ kind: PluginError.Kind, _ why: String) -> PluginError {
    PluginError(kind, command.words.first ?? "exec", why: why)
  }

  private static func text(_ status: TerminationStatus) -> String {
    switch status {
    case .exited(let code): "it ended with exit code \(code)"
    case .signaled(let number):
      "it was ended by signal \(number) (\(String(cString: strsignal(number))))"
    }
  }

  /// Why it was not started; what the package says does not tell one reason from another.
  private func reason(_ error: any Error) -> String {
    guard let error = error as? SubprocessError else { return "\(error)" }
    guard error.code == .executableNotFound, let path = command.words.first else {
      return error.underlyingError.map { String(cString: strerror($0.rawValue)) } ?? "\(error)"
    }
    guard path.contains("/") else { return "there is no such program in PATH" }
    return String(cString: strerror(access(path, X_OK) == 0 ? ENOENT : errno))
  }
}
