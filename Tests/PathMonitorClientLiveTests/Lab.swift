// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import PathMonitorClient
import Testing

@testable import PathMonitorClientLive

/// A board behind a cable, the network it is connected to, and what a monitor on it says.
final class Lab {
  let board = NetworkNamespace()
  let isp = NetworkNamespace()
  let monitor: NetlinkPathMonitor
  /// Each time that it reads everything.
  let reads = EventRecorder<ContinuousClock.Instant>()
  /// Each time that the kernel tells it something.
  let messages = EventRecorder<ContinuousClock.Instant>()
  private var paths: AsyncStream<NetworkPath>.Iterator

  static let needs: Comment = "network namespaces are not permitted here"
  static var isPermitted: Bool { NetworkNamespace.isPermitted }

  /// Returns are believed in at once unless a test is about that.
  static let prompt = PathWatch.Timing(hold: 0)

  /// Begins to monitor a board that has no interface but a loopback one that is down.
  init(
    to destination: PathDestination = .internet, timing: PathWatch.Timing = prompt,
    receiveBufferBytes: Int32? = nil, isLate: @escaping @Sendable () -> Bool = { false }
  ) {
    let (board, reads, messages) = (board, reads, messages)
    let open: NetlinkPathMonitor.OpenSocket = {
      (isListening: Bool) throws(NetlinkError) -> any NetlinkSocket in
      let socket = try board.openSocket(
        isListening: isListening, receiveBufferBytes: isListening ? receiveBufferBytes : nil)
      return LabSocket(
        socket: socket, reads: reads, messages: isListening ? messages : nil, isLate: isLate)
    }
    let inquiry = PathInquiry(
      destination: destination, hasNameserver: { true }, deviceType: { _ in nil })
    monitor = NetlinkPathMonitor(inquiry, timing: timing, openSocket: open)
    paths = monitor.subscribe().makeAsyncIterator()
  }

  /// The next path that it says.
  func next() async -> NetworkPath? { await paths.next() }

  /// Lays the cable, with addresses at both ends and a default route, as far as wanted.
  func connect(addresses: Bool = true, route: Bool = true) {
    board.lay("wan0", to: "isp0", in: isp)
    isp.ip("link set isp0 up")
    if addresses {
      isp.ip("addr add 198.51.100.1/24 dev isp0")
      board.ip("addr add 198.51.100.2/24 dev wan0")
    }
    board.ip("link set wan0 up")
    if route { board.ip("route add default via 198.51.100.1") }
  }

  /// Steps on until the path is the one expected; the time limit catches one that never comes.
  func expect(
    _ status: NetworkPath.Status, _ reason: NetworkPath.Reason? = nil, via names: [String]? = nil,
    location: SourceLocation = #_sourceLocation
  ) async {
    var seen: [NetworkPath] = []
    while seen.count < 8, let path = await next() {
      let hasNames = names == nil || names == path.interfaces.map(\.name)
      if path.status == status, path.reason == reason, hasNames { return }
      seen.append(path)
    }
    Issue.record("saw \(seen)", sourceLocation: location)
  }
}

/// A real socket that says what is asked, and can be made to take nothing for a while.
private struct LabSocket: NetlinkSocket {
  let socket: any NetlinkSocket
  let reads: EventRecorder<ContinuousClock.Instant>
  /// `nil` for the socket that asks.
  let messages: EventRecorder<ContinuousClock.Instant>?
  /// Whether its thread does not get to run.
  let isLate: @Sendable () -> Bool
  var descriptor: Int32 { socket.descriptor }

  func send(_ bytes: [UInt8]) throws(NetlinkError) {
    // RTM_GETLINK is the first question of a read.
    if bytes[4] == 18 { reads.record(.now) }
    try socket.send(bytes)
  }

  func receive() throws(NetlinkError) -> [UInt8]? {
    guard let messages else { return try socket.receive() }
    while isLate() { usleep(1000) }
    let message = try socket.receive()
    if message != nil { messages.record(.now) }
    return message
  }
}

extension NetworkNamespace {
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
