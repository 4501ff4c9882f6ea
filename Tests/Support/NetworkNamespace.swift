// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A network namespace of a test's own: a board, or whatever it is connected to.
///
/// It has no name in `/run/netns`: a descriptor of this process keeps it, so that none is left
/// behind however the process ends.
package final class NetworkNamespace: Sendable {
  /// Keeps the namespace; -1 where there is none.
  private let descriptor: Int32
  /// A name that no other has, for what a test puts elsewhere.
  package let name: String

  /// The file that other programs go inside by.
  package var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Whether namespaces can be made here.
  package static let isPermitted: Bool = {
    let probe = NetworkNamespace()
    return probe.descriptor >= 0 && probe.ip("link show") == 0
  }()

  /// Makes a namespace with a loopback interface that is down.
  package init() {
    name = "fixcast-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    // A thread that has gone into a namespace of its own, and ends there.
    descriptor =
      onThread {
        call("unshare", [newNetwork]) == 0
          ? open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC) : -1
      } ?? -1
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The words of a command that is to run inside.
  ///
  /// - Parameter words: The command and its arguments.
  /// - Returns: A command, by its path, and its arguments.
  package func command(_ words: [String]) -> [String] {
    ["/usr/bin/nsenter", "--net=\(path)"] + words
  }

  /// Runs `ip` inside.
  ///
  /// - Parameter line: Its arguments.
  /// - Returns: Its exit code, -1 where it did not run.
  @discardableResult
  package func ip(_ line: String) -> Int32 {
    run(command(["ip"] + line.split(separator: " ").map(String.init)))
  }

  /// Lays a cable to another namespace, with both ends down.
  ///
  /// - Parameters:
  ///   - name: The interface here.
  ///   - far: The interface there.
  ///   - other: Where the other end is.
  package func lay(_ name: String, to far: String, in other: NetworkNamespace) {
    // A pair whose ends have the same number is taken for no pair by the kernel, which then tells
    // of its carrier up to a second late.
    let index = nextIndex.wrappingAdd(1, ordering: .relaxed).newValue
    ip("link add \(name) index \(index) type veth peer name \(far) netns \(other.path)")
  }

  /// Runs many commands of `ip` inside, in one process.
  ///
  /// - Parameter file: The file of the commands, one a line.
  /// - Returns: Its exit code, -1 where it did not run.
  @discardableResult
  package func ip(batch file: String) -> Int32 {
    run(command(["ip", "-force", "-batch", file]))
  }

  private final class Job {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Does something on a thread that has gone inside.
  ///
  /// A socket stays in the namespace in which it was made, whoever uses it afterwards.
  ///
  /// - Parameter body: What to do.
  /// - Returns: What it returns; `nil` where no thread could go there.
  package func inside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    onThread { [descriptor] in call("setns", [descriptor, newNetwork]) == 0 ? body() : nil } ?? nil
  }
}

/// The number of the newest interface: far from those that the kernel gives, and none twice.
private let nextIndex = Atomic(10_000)

/// `CLONE_NEWNET`.
private let newNetwork: Int32 = 0x4000_0000

/// Calls `setns(2)` or `unshare(2)`, which the Glibc module does not carry; -1 where it fails.
func call(_ name: String, _ arguments: [Int32]) -> Int32 {
  typealias One = @convention(c) (Int32) -> Int32
  typealias Two = @convention(c) (Int32, Int32) -> Int32
  guard let symbol = dlsym(nil, name) else { return -1 }
  return arguments.count == 1
    ? unsafeBitCast(symbol, to: One.self)(arguments[0])
    : unsafeBitCast(symbol, to: Two.self)(arguments[0], arguments[1])
}

private final class Job {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// Does something on a thread of its own, and waits for it; `nil` where there is no thread.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
  var value: Value?
  let job = Job { value = body() }
  var thread = pthread_t()
  let result = pthread_create(
    &thread, nil,
    { context in
      context.map { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue().body() }
      return nil
    }, Unmanaged.passUnretained(job).toOpaque())
  guard result == 0 else { return nil }
  // Nobody else touches the value until the thread has ended.
  pthread_join(thread, nil)
  withExtendedLifetime(job) {}
  return value
}

/// Runs a program in silence; its exit code, -1 where it did not run.
private func run(_ words: [String]) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
  }
  var argv = words.map { strdup($0) } + [nil]
  defer { for pointer in argv { free(pointer) } }
  var processID = pid_t()
  guard posix_spawnp(&processID, words[0], &actions, nil, &argv, environ) == 0 else { return -1 }
  var status: Int32 = 0
  while waitpid(processID, &status, 0) < 0, errno == EINTR {}
  return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
}
