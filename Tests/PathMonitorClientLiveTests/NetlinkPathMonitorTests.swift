// SPDX-License-Identifier: Apache-2.0

import PathMonitorClient
import Synchronization
import Testing

@testable import PathMonitorClientLive

@Suite("Path monitor over netlink", .timeLimit(.minutes(1)))
struct NetlinkPathMonitorTests {
  @Test("answers unknown, counted as satisfied, where netlink cannot be opened")
  func blind() async {
    let monitor = NetlinkPathMonitor(
      PathInquiry(destination: .internet),
      openSocket: { _ throws(NetlinkError) in throw NetlinkError(call: "socket", number: 1) })
    var paths = monitor.subscribe().makeAsyncIterator()
    #expect(await paths.next() == NetworkPath(status: .satisfied, reason: .unknown))
  }

  @Test("answers unknown, and begins no watch, where there is nothing to end it with")
  func noDescriptors() async {
    let isExhausted = Mutex(true)
    let monitor = NetlinkPathMonitor(
      PathInquiry(destination: .loopback),
      makeStop: { isExhausted.withLock { $0 } ? nil : StopSignal() })
    do {
      var paths = monitor.subscribe().makeAsyncIterator()
      #expect(await paths.next() == NetworkPath(status: .satisfied, reason: .unknown))
      #expect(!monitor.isWatching)
    }
    isExhausted.withLock { $0 = false }
    var paths = monitor.subscribe().makeAsyncIterator()
    #expect(await paths.next()?.reason != .unknown)
    #expect(monitor.isWatching)
  }

  @Test("watches only while someone listens, and again after that")
  func lifecycle() async {
    let client = NetlinkPathMonitor(PathInquiry(destination: .loopback))
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
      // A second listener is given the present path, too; leaving silences nobody.
      do {
        var late = client.subscribe().makeAsyncIterator()
        #expect(await late.next() != nil)
      }
      task.cancel()
      _ = await task.value
      while client.isWatching { await Task.yield() }
    }
  }

  @Test("gives the first listener after a pause nothing of the watch before")
  func pause() async {
    let links = Mutex<[[UInt8]]>([])
    let monitor = NetlinkPathMonitor(
      PathInquiry(destination: .internet),
      openSocket: { _ throws(NetlinkError) in
        RecordedNetlinkSocket(links: [links.withLock { $0 }])
      })
    func firstPath() async -> NetworkPath? {
      var paths = monitor.subscribe().makeAsyncIterator()
      return await paths.next()
    }
    #expect(await firstPath()?.interfaces.map(\.name) == [])
    while monitor.isWatching { await Task.yield() }
    links.withLock { $0 = [NetlinkFramesTests.link] }
    #expect(await firstPath()?.interfaces.map(\.name) == ["eth0"])
  }
}
