// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Subprocess
internal import SystemPackage
internal import SystemSupport

/// Starts programs as processes of this system.
///
/// A process runs in its own session. It gets only the given variables and its standard streams.
struct ProcessLauncher: ExecLauncher {
  /// Ignores SIGPIPE, so that writing to a program that has ended returns an error.
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
            processID: execution.processIdentifier.value, input: execution.standardInputWriter,
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

  /// Returns why the program was not started; uses `access` where Subprocess gives no reason.
  private static func reason(_ error: any Error, _ path: String) -> String {
    guard let error = error as? SubprocessError else { return "\(error)" }
    guard error.code == .executableNotFound, !path.isEmpty else {
      return error.underlyingError.map { String(cString: strerror($0.rawValue)) } ?? "\(error)"
    }
    guard path.contains("/") else { return "program not found in PATH" }
    return String(cString: strerror(access(path, X_OK) == 0 ? ENOENT : errno))
  }
}

/// A process that leads its own session and process group.
private struct StartedProcess: ExecChild {
  let processID: Int32
  let input: StandardInputWriter
  let output: SubprocessOutputSequence
  let errors: SubprocessOutputSequence

  func write(_ bytes: [UInt8]) async -> Int { (try? await input.write(bytes)) ?? -1 }

  func closeInput() async { try? await input.finish() }

  func signal(_ signal: Int32) async {
    // The process has not been reaped yet, so no other process group can have this ID.
    kill(-processID, signal)
  }

  func read(_ output: ExecOutput, _ take: (UnsafeRawBufferPointer) -> Void) async {
    do {
      for try await buffer in output == .standardOutput ? self.output : errors {
        buffer.withUnsafeBytes { take($0) }
      }
    } catch {
      // Ignore the error: the program is about to end, and its exit status is reported.
    }
  }

  func waitUntilEnded() async {
    await withCheckedContinuation { continuation in
      // Wait for the process itself, since it may continue to run after closing its outputs.
      let hasStarted = BlockingThread.start { [processID] in
        var info = siginfo_t()
        // WNOWAIT leaves the process for Subprocess to reap.
        while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        continuation.resume()
      }
      if !hasStarted { continuation.resume() }
    }
  }
}
