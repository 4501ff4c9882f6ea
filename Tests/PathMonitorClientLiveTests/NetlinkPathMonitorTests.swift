// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Synchronization
import SystemSupport
import Testing

@testable import PathMonitorClientLive

@Suite("Path monitor over netlink", .timeLimit(.minutes(5)))
struct NetlinkPathMonitorTests {
  @Test func `the path is satisfied with reason unknown if the netlink socket cannot be opened`() async {
    let monitor = NetlinkPathMonitor(
      PathQuery(destination: .internet),
      openSocket: { _ throws(NetlinkError) in throw NetlinkError(call: "socket", number: 1) })
    var paths = monitor.subscribe().makeAsyncIterator()
    let path = await paths.next()
    #expect(path?.status == .satisfied && path?.reason == .unknown)
    #expect(path?.cause == "socket: Operation not permitted")
    #expect(path?.text.hasSuffix("connection (socket: Operation not permitted)") == true)
  }

  @Test func `the netlink path monitor retries a failed read before the next periodic read`() async {
    let failures = Mutex(3)
    let monitor = NetlinkPathMonitor(
      PathQuery(destination: .internet),
      timing: PathWatch.Timing(hold: 0, backstop: 36_000_000_000_000),
      openSocket: { _ throws(NetlinkError) in
        let isBroken = failures.withLock { left in
          left -= 1
          return left >= 0
        }
        if isBroken { throw NetlinkError(call: "socket", number: 12) }
        return RecordedNetlinkSocket(links: [[NetlinkFramesTests.link]])
      })
    var paths = monitor.subscribe().makeAsyncIterator()
    #expect(await paths.next()?.cause == "socket: Cannot allocate memory")
    #expect(await paths.next()?.interfaces.map(\.name) == ["eth0"])
  }

  @Test func `the netlink path monitor retries to start its watch if no thread can be created`() async {
    let clock = ManualClock()
    let failures = Mutex(2)
    let monitor = NetlinkPathMonitor(
      PathQuery(destination: .loopback),
      startThread: { watch in
        let isBroken = failures.withLock { left in
          left -= 1
          return left >= 0
        }
        return !isBroken && watch.startThread()
      }, clock: clock)
    var paths = monitor.subscribe().makeAsyncIterator()
    #expect(await paths.next()?.cause == "pthread_create: Resource temporarily unavailable")
    #expect(!monitor.isWatching)
    for milliseconds in [50, 100] {
      await clock.waitForSleepers()
      clock.advance(by: .milliseconds(milliseconds))
    }
    #expect(await paths.next()?.cause == nil)
    #expect(monitor.isWatching)
  }

  @Test func `if the stop signal cannot be made, no watch is started and the path has reason unknown`() async {
    let isExhausted = Mutex(true)
    let monitor = NetlinkPathMonitor(
      PathQuery(destination: .loopback),
      makeStop: { isExhausted.withLock { $0 } ? nil : try? WakeUp() })
    do {
      var paths = monitor.subscribe().makeAsyncIterator()
      #expect(await paths.next()?.reason == .unknown)
      #expect(!monitor.isWatching)
    }
    isExhausted.withLock { $0 = false }
    var paths = monitor.subscribe().makeAsyncIterator()
    #expect(await paths.next()?.reason != .unknown)
    #expect(monitor.isWatching)
  }

  @Test func `the netlink path monitor has open sockets only while there are subscriptions`() async {
    let openSockets = EventRecorder<Int>()
    let count = SocketCount(openSockets)
    let client = NetlinkPathMonitor(
      PathQuery(destination: .loopback),
      openSocket: { isListening throws(NetlinkError) in
        CountedSocket(
          socket: try KernelNetlinkSocket(isListening: isListening), held: count.track())
      })
    for _ in 1...2 {
      #expect(!client.isWatching)
      let stream = client.subscribe()
      #expect(client.isWatching)
      let task = Task {
        var paths = stream.makeAsyncIterator()
        let first = await paths.next()
        while await paths.next() != nil {}
        return first
      }
      // A second subscriber also receives the current path. The end of the second subscription
      // does not affect the first.
      do {
        var late = client.subscribe().makeAsyncIterator()
        #expect(await late.next() != nil)
      }
      task.cancel()
      _ = await task.value
      await openSockets.wait { $0.last == 0 }
    }
  }

  @Test func `the first subscriber after a time without subscribers receives no stale path`() async {
    let links = Mutex<[[UInt8]]>([])
    let openSockets = EventRecorder<Int>()
    let count = SocketCount(openSockets)
    let monitor = NetlinkPathMonitor(
      PathQuery(destination: .internet),
      openSocket: { _ throws(NetlinkError) in
        CountedSocket(
          socket: RecordedNetlinkSocket(links: [links.withLock { $0 }]), held: count.track())
      })
    func firstPath() async -> NetworkPath? {
      var paths = monitor.subscribe().makeAsyncIterator()
      return await paths.next()
    }
    #expect(await firstPath()?.interfaces.map(\.name) == [])
    await openSockets.wait { $0.last == 0 }
    #expect(!monitor.isWatching)
    links.withLock { $0 = [NetlinkFramesTests.link] }
    #expect(await firstPath()?.interfaces.map(\.name) == ["eth0"])
  }
}

/// A socket that is counted while a watch uses it.
private struct CountedSocket: NetlinkSocket {
  let socket: any NetlinkSocket
  let held: Held
  var descriptor: Int32 { socket.descriptor }
  func send(_ bytes: [UInt8]) throws(NetlinkError) { try socket.send(bytes) }
  func receive() throws(NetlinkError) -> [UInt8]? { try socket.receive() }
}
