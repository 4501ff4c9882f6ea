// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LocationServices
internal import Subprocess
internal import Synchronization
internal import SystemPackage
internal import SystemSupport

/// Starts processes of this board.
///
/// One gets no descriptor but its three, few variables, and a session of its own.
struct ProcessLauncher: ExecLauncher {
  /// Makes what finds all that a program starts, for each program one.
  var makeFamily: @Sendable () -> ExecFamily = { ExecFamily() }
  /// Where programs are known while they run.
  var programs = ExecPrograms.shared

  /// Writing to a program that is gone is an error, and not the end of this one.
  private static let ignoresBrokenPipes: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

  func run(
    _ command: ExecCommand, variables own: [String: String],
    use: @escaping @Sendable (any ExecChild) async -> Void
  ) async -> ExecEnd {
    Self.ignoresBrokenPipes
    guard let number = programs.begin() else { return .notStarted("fixcast is about to end") }
    // Where it never ran.
    defer { programs.remove(number) }
    let family = makeFamily()
    var options = PlatformOptions()
    options.createSession = true
    let path = command.words.first ?? ""
    let marked = own.merging([ExecFamily.variable: family.mark]) { $1 }
    let variables = Dictionary(
      marked.map { (Environment.Key(stringLiteral: $0), $1) }
    ) { first, _ in first }
    do {
      let result = try await Subprocess.run(
        path.contains("/") ? .path(FilePath(path)) : .name(path),
        arguments: Arguments(Array(command.words.dropFirst())),
        environment: .custom(variables),
        platformOptions: options, input: .inputWriter, output: .sequence, error: .sequence
      ) { execution in
        let program = execution.processIdentifier.value
        programs.started(number, program, family)
        // It is reaped when this returns.
        defer { programs.remove(number) }
        await use(
          StartedProcess(
            number: program, family: family,
            input: execution.standardInputWriter, output: execution.standardOutput,
            errors: execution.standardError))
      }
      return switch result.terminationStatus {
      case .exited(let code): .exited(code)
      case .signaled(SIGKILL) where programs.isClosed: .killedLast
      case .signaled(let number): .signaled(number)
      }
    } catch {
      return .notStarted(Self.reason(error, path))
    }
  }

  /// Why it was not started; what the package says does not tell one reason from another.
  private static func reason(_ error: any Error, _ path: String) -> String {
    guard let error = error as? SubprocessError else { return "\(error)" }
    guard error.code == .executableNotFound, !path.isEmpty else {
      return error.underlyingError.map { String(cString: strerror($0.rawValue)) } ?? "\(error)"
    }
    guard path.contains("/") else { return "there is no such program in PATH" }
    return String(cString: strerror(access(path, X_OK) == 0 ? ENOENT : errno))
  }
}

/// A process of this board, with what finds all that it has started, in its session and beyond.
private final class StartedProcess: ExecChild {
  private let number: Int32
  private let family: ExecFamily
  private let input: StandardInputWriter
  private let output: SubprocessOutputSequence
  private let errors: SubprocessOutputSequence
  private let known = Mutex<[ExecFamily.Process]>([])

  init(
    number: Int32, family: ExecFamily, input: StandardInputWriter,
    output: SubprocessOutputSequence, errors: SubprocessOutputSequence
  ) {
    self.number = number
    self.family = family
    self.input = input
    self.output = output
    self.errors = errors
  }

  func write(_ bytes: [UInt8]) async -> Int { (try? await input.write(bytes)) ?? -1 }

  func closeInput() async {
    // When it has ended, they are nobody's children any more.
    await find { [family, number] in family.members(of: number, $0) }
    try? await input.finish()
  }

  func signal(_ number: Int32) async {
    let program = self.number
    // It is not reaped yet, so the number is still its own.
    kill(-program, number)
    await find { [family] known in
      guard number == SIGKILL else { return family.signal(number, of: program, known) }
      family.kill(of: program, known)
      return known
    }
  }

  func read(_ output: ExecOutput, _ take: (UnsafeRawBufferPointer) -> Void) async {
    do {
      for try await buffer in output == .standardOutput ? self.output : errors {
        buffer.withUnsafeBytes { take($0) }
      }
    } catch {
      // It is over with the program, whatever it is: its end says why.
    }
  }

  func waitUntilGone() async {
    guard let handle = ProcessHandle(number) else { return }
    await withCheckedContinuation { continuation in
      // Most often it is gone already; else it has closed its outputs and works on.
      let isBegun = BlockingThread.start {
        handle.wait()
        continuation.resume()
      }
      if !isBegun { continuation.resume() }
    }
    handle.close()
  }

  /// Looks at who is there, on a thread of its own: killing waits for them, up to a second, and the
  /// pool has a thread a core, for everything.
  private func find(
    _ look: @escaping @Sendable ([ExecFamily.Process]) -> [ExecFamily.Process]
  ) async {
    let before = known.withLock { $0 }
    let now = await BlockingThread.value { look(before) }
    known.withLock { $0 = now }
  }
}
