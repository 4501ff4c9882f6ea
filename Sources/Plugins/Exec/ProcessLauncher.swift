// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Subprocess
internal import SystemPackage
internal import SystemSupport

/// Starts processes of this board.
///
/// A process gets no descriptor but its standard streams, few variables, and a session of its own.
struct ProcessLauncher: ExecLauncher {
  /// Writing to a program that is gone is an error, and not the end of this one.
  private static let ignoresBrokenPipes: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

  func run(
    _ command: ExecCommand, variables own: [String: String],
    use: @escaping @Sendable (any ExecChild) async -> Void
  ) async -> ExecEnd {
    Self.ignoresBrokenPipes
    var options = PlatformOptions()
    options.createSession = true
    let path = command.words.first ?? ""
    let variables = Dictionary(
      own.map { (Environment.Key(stringLiteral: $0), $1) }
    ) { first, _ in first }
    do {
      let result = try await Subprocess.run(
        path.contains("/") ? .path(FilePath(path)) : .name(path),
        arguments: Arguments(Array(command.words.dropFirst())),
        environment: .custom(variables),
        platformOptions: options, input: .inputWriter, output: .sequence, error: .sequence
      ) { execution in
        await use(
          StartedProcess(
            number: execution.processIdentifier.value, input: execution.standardInputWriter,
            output: execution.standardOutput,
            errors: execution.standardError))
      }
      return switch result.terminationStatus {
      case .exited(let code): .exited(code)
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

/// A process of this board that leads a session and a process group.
private struct StartedProcess: ExecChild {
  let number: Int32
  let input: StandardInputWriter
  let output: SubprocessOutputSequence
  let errors: SubprocessOutputSequence

  func write(_ bytes: [UInt8]) async -> Int { (try? await input.write(bytes)) ?? -1 }

  func closeInput() async { try? await input.finish() }

  func signal(_ signal: Int32) async {
    // The process is not reaped yet, so no other group can have its number.
    kill(-number, signal)
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
    await withCheckedContinuation { continuation in
      // The process may have closed its outputs and run for a long time yet.
      let isBegun = BlockingThread.start { [number] in
        var info = siginfo_t()
        // WNOWAIT leaves the process to be reaped by Subprocess.
        while waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        continuation.resume()
      }
      if !isBegun { continuation.resume() }
    }
  }
}
