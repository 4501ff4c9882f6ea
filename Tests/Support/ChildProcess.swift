// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// A child process of a test, with its output line by line.
///
/// The output is read on a separate thread and not in Swift's thread pool, so that waiting for
/// output cannot starve other tasks.
package final class ChildProcess: Sendable {
  /// An error of `posix_spawn`.
  package struct SpawnError: Error {
    /// The path of the program.
    package let path: String
    /// The error number.
    package let errorNumber: Int32
  }

  /// The lines of standard output and standard error.
  package let lines = EventRecorder<String>()
  /// The output in the chunks in which it was read.
  package let pieces = EventRecorder<[UInt8]>()
  private let exits = EventRecorder<Int32>()
  private let processID: pid_t
  private let hasExited = Mutex(false)

  /// The time between SIGTERM and SIGKILL; long enough for a clean exit on a busy machine.
  private static let secondsToTerminate = 15

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: The arguments, without the program name.
  ///   - environment: Variables that are added to the test's environment, or that replace variables
  ///     in it.
  ///   - window: A terminal for the program; `nil` to read its output through a pipe.
  /// - Throws: ``SpawnError``.
  package init(
    path: String, arguments: [String], environment: [String: String] = [:],
    window: TerminalWindow? = nil
  ) throws(SpawnError) {
    var output: [Int32] = [-1, -1]
    if let window {
      output = window.makeEnds()
      guard output[0] >= 0, output[1] >= 0 else {
        for descriptor in output where descriptor >= 0 { close(descriptor) }
        throw SpawnError(path: path, errorNumber: errno)
      }
    } else {
      guard Self.makePipe(&output) == 0 else { throw SpawnError(path: path, errorNumber: errno) }
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session leader opens becomes its controlling terminal.
    posix_spawn_file_actions_addopen(
      &actions, STDIN_FILENO, window?.devnode ?? "/dev/null", window == nil ? O_RDONLY : O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO)

    // Pool threads block signals. A child that inherits the mask could not be terminated.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes,
      Int16(
        POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
          | (window == nil ? 0 : TerminalWindow.spawnSetsID)))

    let variables = Self.inheritedVariables.merging(environment) { _, new in new }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var processID = pid_t()
    let number = posix_spawn(&processID, path, &actions, &attributes, &argv, &envp)
    close(output[1])
    guard number == 0 else {
      close(output[0])
      throw SpawnError(path: path, errorNumber: number)
    }
    self.processID = processID
    let descriptor = output[0]
    // A separate queue gets a thread at once. All pool threads may be blocked, and the creation of
    // a further pool thread takes a second.
    DispatchQueue(label: "output of \(path)").async { self.readOutput(descriptor) }
  }

  /// Calls `pipe2(2)`, which the Glibc module lacks; returns -1 on failure.
  ///
  /// With `pipe(2)`, a process that another test starts at the same moment could inherit the ends,
  /// and the output would not end before that process.
  private static func makePipe(_ ends: inout [Int32]) -> Int32 {
    typealias Pipe2 = @convention(c) (UnsafeMutablePointer<Int32>?, Int32) -> Int32
    guard let symbol = dlsym(nil, "pipe2") else { return -1 }
    return ends.withUnsafeMutableBufferPointer {
      unsafeBitCast(symbol, to: Pipe2.self)($0.baseAddress, O_CLOEXEC)
    }
  }

  /// Starts a program, runs a body, and always ends the program.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: The arguments, without the program name.
  ///   - environment: Variables that are added to the test's environment, or that replace variables
  ///     in it.
  ///   - window: A terminal for the program; `nil` to read its output through a pipe.
  ///   - isolation: The actor on which the body runs.
  ///   - body: Uses the program.
  /// - Returns: The result of the body.
  /// - Throws: ``SpawnError``, or the error of the body.
  package static func use<Value>(
    path: String, arguments: [String], environment: [String: String] = [:],
    window: TerminalWindow? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (ChildProcess) async throws -> Value
  ) async throws -> Value {
    let process = try ChildProcess(
      path: path, arguments: arguments, environment: environment, window: window)
    let result: Result<Value, any Error>
    do { result = .success(try await body(process)) } catch { result = .failure(error) }
    await process.end()
    return try result.get()
  }

  /// Runs a program until it exits.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: The arguments, without the program name.
  ///   - environment: Variables that are added to the test's environment, or that replace variables
  ///     in it.
  /// - Returns: The lines of standard output and standard error, and the exit code.
  /// - Throws: ``SpawnError``.
  package static func run(
    path: String, arguments: [String], environment: [String: String] = [:]
  ) async throws -> (lines: [String], code: Int32) {
    try await use(path: path, arguments: arguments, environment: environment) {
      let status = await $0.wait()
      return ($0.lines.events, status >> 8 & 0xFF)
    }
  }

  /// Terminates the program, or kills it after fifteen seconds, and waits for its exit.
  @discardableResult
  package func end() async -> Int32 {
    send(SIGTERM)
    // The kill is not awaited, so that a cancelled test does not leave its program running.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.secondsToTerminate)) {
      self.send(SIGKILL)
    }
    return await wait()
  }

  /// Waits for the exit of the program and returns its status.
  package func wait() async -> Int32 { await exits.wait(for: 1).first ?? 0 }

  /// Waits until a signal has stopped the program, or the program has exited.
  ///
  /// Waiting for output that the program prints before it stops is not enough: a `SIGCONT` that is
  /// sent before the stop has no effect, and the program then stays stopped.
  package func waitForStop() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "stop").async {
        var information = siginfo_t()
        let options = WSTOPPED | WEXITED | WNOWAIT
        while waitid(P_PID, id_t(self.processID), &information, options) != 0, errno == EINTR {}
        continuation.resume()
      }
    }
  }

  /// Sends a signal, unless the program has exited and its process id may have been reused.
  package func send(_ signal: Int32) {
    hasExited.withLock { if !$0 { kill(processID, signal) } }
  }

  private func readOutput(_ descriptor: Int32) {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      pieces.record(Array(buffer.prefix(count)))
      for byte in buffer.prefix(count) {
        if byte == UInt8(ascii: "\n") {
          lines.record(String(decoding: line, as: UTF8.self))
          line = []
        } else {
          line.append(byte)
        }
      }
    }
    close(descriptor)
    // waitpid releases the process id, so it is called under the lock that `send` uses.
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    var status: Int32 = 0
    hasExited.withLock { hasExited in
      waitpid(processID, &status, 0)
      hasExited = true
    }
    exits.record(status)
  }

  private static var inheritedVariables: [String: String] {
    // The units and the time zone of the output must not depend on the developer's locale.
    var variables = ["LC_ALL": "C.UTF-8", "TZ": "UTC"]
    for name in ["PATH", "HOME", "LANG", "TMPDIR"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }
}
