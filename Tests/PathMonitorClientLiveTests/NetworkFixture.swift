// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// A test fixture: a board with a monitor, and the network of the board's provider, in two
/// namespaces.
final class NetworkFixture {
  /// A path and the time of its publication.
  struct Publication: Sendable {
    var path: NetworkPath
    var at: ContinuousClock.Instant
  }

  let board = NetworkNamespace()
  let isp = NetworkNamespace()
  let monitor: NetlinkPathMonitor
  /// The paths published so far.
  let published = EventRecorder<Publication>()
  /// The start times of the monitor's reads.
  let reads = EventRecorder<ContinuousClock.Instant>()
  /// One event for each finished read.
  let readEnds = EventRecorder<Void>()
  /// The number of the monitor's open sockets after each change.
  let openSockets = EventRecorder<Int>()
  /// The board's `resolv.conf`, in a separate folder.
  let resolver: URL
  private var listener: Task<Void, Never>?
  private var seen = 0
  private var mtuChanges = 0

  static let skipReason: Comment = "network namespaces are not permitted"
  static var isPermitted: Bool { NetworkNamespace.isPermitted }

  /// Ten hours in nanoseconds, as the interval of reads that must not occur during a test.
  static let never: UInt64 = 36_000_000_000_000

  /// Timing without a hold time and without periodic reads.
  static let prompt = PathWatch.Timing(hold: 0, backstop: never)

  /// Makes a board with only a loopback interface, and a monitor without subscriptions.
  ///
  /// `deviceTypes` are the types that the drivers of the interfaces set, by name.
  init(
    to destination: PathDestination = .internet, rules: PathRules = PathRules(),
    deviceTypes: [String: String] = [:], timing: PathWatch.Timing = prompt,
    receiveBufferBytes: Int32? = nil, blocker: ThreadBlocker? = nil
  ) throws {
    let (board, reads, readEnds) = (board, reads, readEnds)
    let count = SocketCount(openSockets)
    let open: NetlinkPathMonitor.OpenSocket = {
      (isListening: Bool) throws(NetlinkError) -> any NetlinkSocket in
      let socket = try board.openSocket(
        isListening: isListening, receiveBufferBytes: isListening ? receiveBufferBytes : nil)
      return NamespaceSocket(socket: socket, reads: reads, blocker: isListening ? blocker : nil, held: count.track())
    }
    let folder = URL.temporaryDirectory.appending(path: board.name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    resolver = folder.appending(path: "resolv.conf")
    try Data("nameserver 192.0.2.53\n".utf8).write(to: resolver)
    var query = PathQuery(destination: destination, rules: rules, resolverFile: resolver.path)
    // The device type is the last query of each read, for each interface that is up.
    board.ip("link set lo up")
    query.deviceType = { name in
      if name == "lo" { readEnds.record(()) }
      return deviceTypes[name]
    }
    query.metered = { .unknown }
    monitor = NetlinkPathMonitor(query, timing: timing, openSocket: open)
  }

  deinit {
    listener?.cancel()
    try? FileManager.default.removeItem(at: resolver.deletingLastPathComponent())
  }

  /// Subscribes to the monitor.
  func watch() {
    let paths = monitor.subscribe()
    listener = Task { [published] in
      for await path in paths { published.record(Publication(path: path, at: .now)) }
    }
  }

  /// Waits for the next published path; `nil` after the time limit of the test.
  func next() async -> NetworkPath? {
    let index = seen
    seen += 1
    let all = await published.wait(for: index + 1)
    return index < all.count ? all[index].path : nil
  }

  /// Expects a summary of the next published path.
  func expectNext(_ summary: String, location: SourceLocation = #_sourceLocation) async {
    let path = await next()
    #expect(path.map(Self.summary) == summary, sourceLocation: location)
  }

  /// Connects a cable without automatic IPv6 addresses, which would be added seconds later.
  func connectCable(_ name: String, to far: String) {
    board.lay(name, to: far, in: isp)
    board.ip("link set \(name) addrgenmode none")
    isp.ip("link set \(far) addrgenmode none")
  }

  /// Connects the first cable, optionally with addresses at both ends and a default route.
  func connect(addresses: Bool = true, route: Bool = true) {
    connectCable("wan0", to: "isp0")
    isp.ip("link set isp0 up")
    if addresses {
      isp.ip("addr add 198.51.100.1/24 dev isp0")
      board.ip("addr add 198.51.100.2/24 dev wan0")
    }
    board.ip("link set wan0 up")
    if route { board.ip("route add default via 198.51.100.1") }
  }

  /// Performs an action and expects exactly one of the allowed sequences of paths.
  ///
  /// - Returns: The time from the start of the action to the first published path.
  @discardableResult
  func expect(
    _ allowed: [[String]], for cause: String, location: SourceLocation = #_sourceLocation,
    _ act: () throws -> Void
  ) async rethrows -> Duration? {
    let count = published.events.count
    let begin = ContinuousClock.now
    try act()
    let finalPaths = allowed.compactMap(\.last)
    await published.wait { all in
      finalPaths.isEmpty
        || all.count > count && finalPaths.contains(all.last.map { Self.summary($0.path) } ?? "")
    }
    await settle()
    let publications = published.events.dropFirst(count)
    let summaries = publications.map { Self.summary($0.path) }
    #expect(allowed.contains(summaries), "\(cause): \(summaries)", sourceLocation: location)
    return publications.first.map { $0.at - begin }
  }

  /// Waits until the monitor has read and published all earlier changes.
  func settle() async {
    // The second read begins after the result of the first has been published.
    for _ in 1...2 {
      let count = readEnds.events.count
      mtuChanges += 1
      board.ip("link set lo mtu \(65_536 - mtuChanges)")
      await readEnds.wait(for: count + 1)
    }
  }

  /// Describes a path: status, reason, interfaces and families.
  static func summary(_ path: NetworkPath) -> String {
    let families = [path.supportsIPv4 ? "IPv4" : nil, path.supportsIPv6 ? "IPv6" : nil]
    return ([path.status.rawValue, path.reason?.rawValue] + path.interfaces.map(\.name) + families)
      .compactMap { $0 }.joined(separator: " ")
  }
}

/// Counts the open sockets of a monitor.
final class SocketCount: Sendable {
  private let open = Mutex(0)
  private let counts: EventRecorder<Int>

  init(_ counts: EventRecorder<Int>) { self.counts = counts }

  /// Counts a socket until the returned object is released.
  func track() -> Held {
    change(by: 1)
    return Held { self.change(by: -1) }
  }

  private func change(by count: Int) {
    // The count is recorded under the lock, so that the last event is the current count.
    open.withLock {
      $0 += count
      counts.record($0)
    }
  }
}

/// Blocks threads, to simulate threads that are not scheduled.
final class ThreadBlocker: Sendable {
  private let condition = NSCondition()
  // The variable is protected by the condition's lock.
  nonisolated(unsafe) private var isBlocking = false

  /// Blocks or unblocks threads in ``waitWhileBlocking()``.
  func set(_ isBlocking: Bool) {
    condition.withLock {
      self.isBlocking = isBlocking
      condition.broadcast()
    }
  }

  func waitWhileBlocking() { condition.withLock { while isBlocking { condition.wait() } } }
}

/// A real socket that records reads and can be blocked.
private struct NamespaceSocket: NetlinkSocket {
  let socket: any NetlinkSocket
  let reads: EventRecorder<ContinuousClock.Instant>
  /// Blocks the receiving thread.
  let blocker: ThreadBlocker?
  let held: Held
  var descriptor: Int32 { socket.descriptor }

  func send(_ bytes: [UInt8]) throws(NetlinkError) {
    // RTM_GETLINK is the first request of a read.
    if bytes[4] == 18 { reads.record(.now) }
    try socket.send(bytes)
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    blocker?.waitWhileBlocking()
    return try socket.receive()
  }
}

extension NetworkNamespace {
  /// Configures the kernel to report next hop objects only by their id.
  ///
  /// Returns false if the kernel has no next hop objects.
  func disableNextHopCompatibility() -> Bool {
    let file = "/proc/sys/net/ipv4/nexthop_compat_mode"
    return inside { (try? Data("0".utf8).write(to: URL(filePath: file))) != nil } ?? false
  }

  /// Opens a netlink socket in the namespace.
  func openSocket(isListening: Bool, receiveBufferBytes: Int32? = nil) throws(NetlinkError) -> any NetlinkSocket {
    let result = inside {
      Result { () throws(NetlinkError) in
        try KernelNetlinkSocket(isListening: isListening, receiveBufferBytes: receiveBufferBytes)
      }
    }
    guard let result else { throw NetlinkError(call: "setns", number: 1) }
    return try result.get()
  }
}
