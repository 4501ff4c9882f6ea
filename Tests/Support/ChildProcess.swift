// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// A program that a test runs: its output line by line, and a sure end.
///
/// Reading blocks a thread of its own and none of Swift's pool, so tests that wait for output cannot
/// starve what produces it.
package final class ChildProcess: Sendable {
  /// Why a program could not be started.
  package struct SpawnError: Error {
    /// The program.
    package let path: String
    /// What `posix_spawn` returned.
    package let errorNumber: Int32
  }

  /// What it wrote to standard output and standard error, line by line.
  package let lines = EventRecorder<String>()
  /// The same as it came, piece by piece.
  package let pieces = EventRecorder<[UInt8]>()
  private let exits = EventRecorder<Int32>()
  private let processID: pid_t
  private let hasExited = Mutex(false)

  /// For a program that hangs: one that ends in order on a busy machine is not to be cut short.
  private static let secondsToTerminate = 15

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Variables added to or in place of the test's own.
  ///   - window: A terminal that it is started on; `nil` for a pipe that takes its output.
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
      guard pipe(&output) == 0 else { throw SpawnError(path: path, errorNumber: errno) }
    }
    for descriptor in output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The terminal that a leader of a session opens first becomes its own.
    posix_spawn_file_actions_addopen(
      &actions, STDIN_FILENO, window?.devnode ?? "/dev/null", window == nil ? O_RDONLY : O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output[1], STDERR_FILENO)

    // Threads of a pool block signals, and the child would inherit that: it could not be ended.
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

    let variables = Self.inherited.merging(environment) { _, new in new }
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
    // A queue of its own has a thread at once; those of the pool may all be waiting, and one more
    // takes a second to come.
    DispatchQueue(label: "output of \(path)").async { self.follow(descriptor) }
  }

  /// Starts a program, uses it, and ends it whatever happens.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Variables added to or in place of the test's own.
  ///   - window: A terminal that it is started on; `nil` for a pipe that takes its output.
  ///   - isolation: Where the body runs.
  ///   - body: What to do with it.
  /// - Returns: What the body returns.
  /// - Throws: ``SpawnError``, and what the body throws.
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

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - arguments: Its arguments, without its name.
  ///   - environment: Variables added to or in place of the test's own.
  /// - Returns: Its lines, both outputs mixed, and its exit code.
  /// - Throws: ``SpawnError``.
  package static func run(
    path: String, arguments: [String], environment: [String: String] = [:]
  ) async throws -> (lines: [String], code: Int32) {
    try await use(path: path, arguments: arguments, environment: environment) {
      let status = await $0.wait()
      return ($0.lines.events, status >> 8 & 0xFF)
    }
  }

  /// Ends the program: asks first, kills after fifteen seconds, and waits until it is gone.
  @discardableResult
  package func end() async -> Int32 {
    send(SIGTERM)
    // Not awaited: a cancelled test must still not leave its program behind.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.secondsToTerminate)) {
      self.send(SIGKILL)
    }
    return await wait()
  }

  /// Waits until the program has ended by itself.
  package func wait() async -> Int32 { await exits.wait(for: 1).first ?? 0 }

  /// Waits until a signal has stopped the program, or it has ended.
  ///
  /// What it says before it stops is said while it still runs, and would not be stopped by a
  /// `SIGCONT` that comes too early, but stop behind it for good.
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

  /// Sends a signal, unless the program has ended and its number may be another's.
  package func send(_ signal: Int32) {
    hasExited.withLock { if !$0 { kill(processID, signal) } }
  }

  private func follow(_ descriptor: Int32) {
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
    // Its number stays taken until waitpid, which happens where nobody can send to it.
    var information = siginfo_t()
    while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    var status: Int32 = 0
    hasExited.withLock { hasExited in
      waitpid(processID, &status, 0)
      hasExited = true
    }
    exits.record(status)
  }

  private static var inherited: [String: String] {
    var variables: [String: String] = [:]
    for name in ["PATH", "HOME", "LANG", "TMPDIR"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }
}
