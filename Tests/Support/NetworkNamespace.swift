// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A network namespace of a test: a simulated board or network.
///
/// The namespace has no name in `/run/netns`. Only a descriptor of this process keeps the namespace
/// alive, so the kernel removes it when the process ends.
package final class NetworkNamespace: Sendable {
  /// A descriptor of the namespace; -1 if it could not be made.
  private let descriptor: Int32
  /// A unique name, for example for temporary files.
  package let name: String

  /// The path with which other programs enter the namespace.
  package var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Whether this process may make namespaces.
  package static let isPermitted: Bool = {
    let probe = NetworkNamespace()
    return probe.descriptor >= 0 && probe.ip("link show") == 0
  }()

  /// Makes a namespace with a loopback interface that is down.
  package init() {
    name = "fixcast-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    // unshare changes the namespace of the calling thread, so it is called on a temporary thread.
    descriptor =
      onNewThread {
        callSystem("unshare", [newNetwork]) == 0
          ? open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC) : -1
      } ?? -1
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns the command line that runs a command in the namespace.
  package func command(_ words: [String]) -> [String] {
    ["/usr/bin/nsenter", "--net=\(path)"] + words
  }

  /// Runs `ip` with arguments in the namespace; returns its exit code, or -1 if it did not run.
  @discardableResult
  package func ip(_ line: String) -> Int32 {
    run(command(["ip"] + line.split(separator: " ").map(String.init)))
  }

  /// Connects a virtual cable to another namespace, with both ends down.
  ///
  /// - Parameters:
  ///   - name: The name of the interface in this namespace.
  ///   - far: The name of the interface in the other namespace.
  ///   - other: The other namespace.
  package func lay(_ name: String, to far: String, in other: NetworkNamespace) {
    // If both ends have the same index, the kernel does not recognize the pair, and reports carrier
    // changes up to a second late.
    let index = nextIndex.wrappingAdd(1, ordering: .relaxed).newValue
    ip("link add \(name) index \(index) type veth peer name \(far) netns \(other.path)")
  }

  /// Waits until an interface has a carrier, which the kernel reports a while after both ends of a
  /// cable are up.
  package func waitForCarrier(of name: String) {
    _ = inside {
      let changes = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | O_CLOEXEC, 0)
      guard changes >= 0 else { return }
      defer { close(changes) }
      var address = NetlinkAddress()
      let isBound = withUnsafeBytes(of: &address) {
        bind(changes, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count)) == 0
      }
      // The state is read after the subscription, so no change is missed.
      var message = [UInt8](repeating: 0, count: 1 << 14)
      while isBound, !hasCarrier(name) {
        var readable = pollfd(fd: changes, events: Int16(POLLIN), revents: 0)
        guard poll(&readable, 1, 60_000) > 0 else { return }
        // Too many messages are an error, too; the state is then read again.
        _ = recv(changes, &message, message.count, 0)
      }
    }
  }

  /// Runs a file of `ip` commands in the namespace, in one process.
  ///
  /// - Parameter file: The path of the file, with one command per line.
  /// - Returns: The exit code, or -1 if `ip` did not run.
  @discardableResult
  package func ip(batch file: String) -> Int32 {
    run(command(["ip", "-force", "-batch", file]))
  }

  /// Runs a body on a thread in the namespace.
  ///
  /// A socket that the body opens stays in the namespace even when other threads use it.
  ///
  /// - Parameter body: The body.
  /// - Returns: The result of the body; `nil` if no thread could enter the namespace.
  package func inside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
    onNewThread { [descriptor] in callSystem("setns", [descriptor, newNetwork]) == 0 ? body() : nil } ?? nil
  }
}

/// `sockaddr_nl`, which the Glibc module lacks, with the group of changes of interfaces.
private struct NetlinkAddress {
  var family = sa_family_t(AF_NETLINK)
  var padding: UInt16 = 0
  var portID: UInt32 = 0
  /// `RTMGRP_LINK`.
  var groups: UInt32 = 1
}

/// Whether an interface of the calling thread's namespace is up and has a carrier.
private func hasCarrier(_ name: String) -> Bool {
  var first: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&first) == 0 else { return false }
  defer { freeifaddrs(first) }
  var next = first
  while let entry = next?.pointee {
    if String(cString: entry.ifa_name) == name, entry.ifa_flags & UInt32(IFF_RUNNING) != 0 {
      return true
    }
    next = entry.ifa_next
  }
  return false
}

/// The index of the newest interface: unique, and larger than the kernel's own indices.
private let nextIndex = Atomic(10_000)

/// `CLONE_NEWNET`.
private let newNetwork: Int32 = 0x4000_0000

/// Calls `setns(2)` or `unshare(2)`, which the Glibc module lacks; returns -1 on failure.
package func callSystem(_ name: String, _ arguments: [Int32]) -> Int32 {
  typealias OneArgument = @convention(c) (Int32) -> Int32
  typealias TwoArguments = @convention(c) (Int32, Int32) -> Int32
  guard let symbol = dlsym(nil, name) else { return -1 }
  return arguments.count == 1
    ? unsafeBitCast(symbol, to: OneArgument.self)(arguments[0])
    : unsafeBitCast(symbol, to: TwoArguments.self)(arguments[0], arguments[1])
}

private final class Job {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}

/// Runs a body on a new thread and waits for it; returns `nil` if no thread can be created.
package func onNewThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value? {
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
  // The value is used only after the thread has ended.
  pthread_join(thread, nil)
  withExtendedLifetime(job) {}
  return value
}

/// Runs a program without output; returns its exit code, or -1 if it did not run.
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
