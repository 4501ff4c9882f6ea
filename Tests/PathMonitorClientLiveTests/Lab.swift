// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

/// A board behind a cable, the network it is connected to, and what a monitor on it publishes.
final class Lab {
  /// A path, and when it was published.
  struct Publication: Sendable {
    var path: NetworkPath
    var at: ContinuousClock.Instant
  }

  let board = NetworkNamespace()
  let isp = NetworkNamespace()
  let monitor: NetlinkPathMonitor
  /// Everything published so far.
  let published = EventRecorder<Publication>()
  /// Each time that it reads everything.
  let reads = EventRecorder<ContinuousClock.Instant>()
  /// Each time that it has read everything.
  let ends = EventRecorder<Void>()
  /// How many sockets it has open, whenever that changes.
  let openSockets = EventRecorder<Int>()
  /// The board's `resolv.conf`, in a folder of its own.
  let resolver: URL
  private var listener: Task<Void, Never>?
  private var seen = 0
  private var pokes = 0

  static let needs: Comment = "network namespaces are not permitted here"
  static var isPermitted: Bool { NetworkNamespace.isPermitted }

  /// Later than any test ends: what is told then is told by the kernel, and not found by the way.
  static let never: UInt64 = 36_000_000_000_000

  /// Returns are believed in at once unless a test is about that.
  static let prompt = PathWatch.Timing(hold: 0, backstop: never)

  /// Makes a board that has no interface but a loopback one; nobody listens yet.
  init(
    to destination: PathDestination = .internet, timing: PathWatch.Timing = prompt,
    receiveBufferBytes: Int32? = nil, lateness: Lateness? = nil
  ) throws {
    let (board, reads, ends) = (board, reads, ends)
    let count = SocketCount(openSockets)
    let open: NetlinkPathMonitor.OpenSocket = {
      (isListening: Bool) throws(NetlinkError) -> any NetlinkSocket in
      let socket = try board.openSocket(
        isListening: isListening, receiveBufferBytes: isListening ? receiveBufferBytes : nil)
      return LabSocket(
        socket: socket, reads: reads, lateness: isListening ? lateness : nil, held: count.one())
    }
    let folder = URL.temporaryDirectory.appending(path: board.name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    resolver = folder.appending(path: "resolv.conf")
    try Data("nameserver 192.0.2.53\n".utf8).write(to: resolver)
    var query = PathQuery(destination: destination, resolverFile: resolver.path)
    // Asked last of all, of each interface that is up.
    board.ip("link set lo up")
    query.deviceType = { name in
      if name == "lo" { ends.record(()) }
      return nil
    }
    query.metered = { .unknown }
    monitor = NetlinkPathMonitor(query, timing: timing, openSocket: open)
  }

  deinit {
    listener?.cancel()
    try? FileManager.default.removeItem(at: resolver.deletingLastPathComponent())
  }

  /// Begins to listen.
  func watch() {
    let paths = monitor.subscribe()
    listener = Task { [published] in
      for await path in paths { published.record(Publication(path: path, at: .now)) }
    }
  }

  /// The next path that it publishes; `nil` where the test's time is over.
  func next() async -> NetworkPath? {
    let index = seen
    seen += 1
    let all = await published.wait(for: index + 1)
    return index < all.count ? all[index].path : nil
  }

  /// Expects the very next path to be this one.
  func expectNext(_ words: String, location: SourceLocation = #_sourceLocation) async {
    let path = await next()
    #expect(path.map(Self.words) == words, sourceLocation: location)
  }

  /// Lays a cable without IPv6's addresses of its own making, which come seconds later.
  func lay(_ name: String, to far: String) {
    board.lay(name, to: far, in: isp)
    board.ip("link set \(name) addrgenmode none")
    isp.ip("link set \(far) addrgenmode none")
  }

  /// Lays the first cable, with addresses at both ends and a default route, as far as wanted.
  func connect(addresses: Bool = true, route: Bool = true) {
    lay("wan0", to: "isp0")
    isp.ip("link set isp0 up")
    if addresses {
      isp.ip("addr add 198.51.100.1/24 dev isp0")
      board.ip("addr add 198.51.100.2/24 dev wan0")
    }
    board.ip("link set wan0 up")
    if route { board.ip("route add default via 198.51.100.1") }
  }

  /// Does something and expects one of some sequences of paths for it, and nothing after it.
  ///
  /// - Returns: How long after its beginning the first of them was published.
  @discardableResult
  func expect(
    _ allowed: [[String]], for what: String, location: SourceLocation = #_sourceLocation,
    _ act: () throws -> Void
  ) async rethrows -> Duration? {
    let count = published.events.count
    let begin = ContinuousClock.now
    try act()
    let ends = allowed.compactMap(\.last)
    await published.wait { all in
      ends.isEmpty || all.count > count && ends.contains(all.last.map { Self.words($0.path) } ?? "")
    }
    await settle()
    let said = published.events.dropFirst(count)
    let words = said.map { Self.words($0.path) }
    #expect(allowed.contains(words), "\(what): \(words)", sourceLocation: location)
    return said.first.map { $0.at - begin }
  }

  /// Waits until the monitor has read, and published, all that has happened so far.
  func settle() async {
    // The second read begins after the first has been published, and sees nothing new.
    for _ in 1...2 {
      let count = ends.events.count
      pokes += 1
      board.ip("link set lo mtu \(65_536 - pokes)")
      await ends.wait(for: count + 1)
    }
  }

  /// A path in words: status, reason, interfaces and families.
  static func words(_ path: NetworkPath) -> String {
    let families = [path.supportsIPv4 ? "IPv4" : nil, path.supportsIPv6 ? "IPv6" : nil]
    return ([path.status.rawValue, path.reason?.rawValue] + path.interfaces.map(\.name) + families)
      .compactMap { $0 }.joined(separator: " ")
  }
}

/// Counts the sockets of a monitor, which are all closed when its watch has ended.
final class SocketCount: Sendable {
  private let open = Mutex(0)
  private let told: EventRecorder<Int>

  init(_ told: EventRecorder<Int>) { self.told = told }

  /// Counts a socket for as long as it is held.
  func one() -> Held {
    change(by: 1)
    return Held { self.change(by: -1) }
  }

  private func change(by count: Int) {
    // Under the lock, so that what is told last is how it is.
    open.withLock {
      $0 += count
      told.record($0)
    }
  }
}

/// Keeps a thread from going on, as one that does not get to run.
final class Lateness: Sendable {
  private let condition = NSCondition()
  // Only touched under the condition's lock.
  nonisolated(unsafe) private var isLate = false

  /// Lets who comes by wait, or go on.
  func set(_ isLate: Bool) {
    condition.withLock {
      self.isLate = isLate
      condition.broadcast()
    }
  }

  func pass() { condition.withLock { while isLate { condition.wait() } } }
}

/// A real socket that says what is asked, and can be made to take nothing for a while.
private struct LabSocket: NetlinkSocket {
  let socket: any NetlinkSocket
  let reads: EventRecorder<ContinuousClock.Instant>
  /// What keeps its thread from running.
  let lateness: Lateness?
  let held: Held
  var descriptor: Int32 { socket.descriptor }

  func send(_ bytes: [UInt8]) throws(NetlinkError) {
    // RTM_GETLINK is the first question of a read.
    if bytes[4] == 18 { reads.record(.now) }
    try socket.send(bytes)
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    lateness?.pass()
    return try socket.receive()
  }
}

extension NetworkNamespace {
  /// Has the kernel tell of a next hop that is an object by its number alone.
  ///
  /// - Returns: Whether it has such objects.
  func keepsNextHopsApart() -> Bool {
    let file = "/proc/sys/net/ipv4/nexthop_compat_mode"
    return inside { (try? Data("0".utf8).write(to: URL(filePath: file))) != nil } ?? false
  }

  /// Opens a netlink socket inside.
  func openSocket(
    isListening: Bool, receiveBufferBytes: Int32? = nil
  ) throws(NetlinkError) -> any NetlinkSocket {
    let result = inside {
      Result { () throws(NetlinkError) in
        try KernelNetlinkSocket(
          isListening: isListening, receiveBufferBytes: receiveBufferBytes)
      }
    }
    guard let result else { throw NetlinkError(call: "setns", number: 1) }
    return try result.get()
  }
}
