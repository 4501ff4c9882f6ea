// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A network namespace of a test's own: a board, or whatever it is connected to.
public final class NetworkNamespace: Sendable {
  /// The name that `ip netns` knows it by.
  public let name: String

  /// Whether namespaces can be made here.
  public static let isPermitted: Bool = {
    let name = "fixcast-probe-\(getpid())"
    defer { run(["ip", "netns", "del", name]) }
    return run(["ip", "netns", "add", name]) == 0
      && run(["ip", "netns", "exec", name, "true"]) == 0
  }()

  /// Makes a namespace with a loopback interface that is down.
  public init() {
    name = "fixcast-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    Self.run(["ip", "netns", "add", name])
  }

  deinit { Self.run(["ip", "netns", "del", name]) }

  /// Runs `ip` inside.
  ///
  /// - Parameter line: Its arguments.
  /// - Returns: Its exit code, -1 where it did not run.
  @discardableResult
  public func ip(_ line: String) -> Int32 {
    Self.run(["ip", "-n", name] + line.split(separator: " ").map(String.init))
  }

  /// Lays a cable to another namespace, with both ends down.
  ///
  /// - Parameters:
  ///   - name: The interface here.
  ///   - far: The interface there.
  ///   - other: Where the other end is.
  public func lay(_ name: String, to far: String, in other: NetworkNamespace) {
    // A pair whose ends have the same number is taken for no pair by the kernel, which then tells
    // of its carrier up to a second late.
    let index = UInt16.random(in: 10_000...60_000)
    ip("link add \(name) index \(index) type veth peer name \(far) netns \(other.name)")
  }

  /// Runs many commands of `ip` inside, in one process.
  ///
  /// - Parameter file: The file of the commands, one a line.
  /// - Returns: Its exit code, -1 where it did not run.
  @discardableResult
  public func ip(batch file: String) -> Int32 {
    Self.run(["ip", "-n", name, "-force", "-batch", file])
  }

  /// Does something on a thread that has gone inside.
  ///
  /// A socket stays in the namespace in which it was made, whoever uses it afterwards.
  ///
  /// - Parameter body: What to do.
  /// - Returns: What it returns; `nil` where no thread could go there.
  public func inside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    var value: Value?
    let path = "/run/netns/\(name)"
    let job = Job { value = Self.enter(path) ? body() : nil }
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

  private final class Job {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// `setns(2)` for a network namespace, which the Glibc module does not carry.
  private static func enter(_ path: String) -> Bool {
    typealias Setns = @convention(c) (Int32, Int32) -> Int32
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let symbol = dlsym(nil, "setns") else { return false }
    defer { close(descriptor) }
    let newNetwork: Int32 = 0x4000_0000
    return unsafeBitCast(symbol, to: Setns.self)(descriptor, newNetwork) == 0
  }

  @discardableResult
  private static func run(_ words: [String]) -> Int32 {
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
}
