// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing
import WeatherClient

@testable import WeatherClientLive

@Suite("Lookup memory")
struct LookupMemoryTests {
  @Test func `the lookup memory evicts the reply that expires first, and does not store large replies`() {
    var memory = LookupMemory()
    for index in 0..<1000 {
      memory.cache(
        WeatherReply(body: [UInt8(index % 256)]), for: "http://a/\(index)",
        seconds: Double(1000 + index), now: .at(0))
    }
    let cached = (0..<1000).filter {
      memory.cachedReply(for: "http://a/\($0)", now: .at(0)) != nil
    }
    #expect(cached == Array((1000 - LookupMemory.limit)..<1000))
    memory.cache(
      WeatherReply(body: [UInt8](repeating: 0, count: LookupMemory.maxBytes + 1)),
      for: "http://a/large", seconds: 9000, now: .at(0))
    #expect(memory.cachedReply(for: "http://a/large", now: .at(0)) == nil)
  }

  @Test func `a cached reply expires, and is removed together with the other replies of its server`() {
    var memory = LookupMemory()
    let reply = WeatherReply(body: [1])
    memory.cache(reply, for: "http://a/1", seconds: 10, now: .at(5))
    memory.cache(reply, for: "http://b/1", seconds: 10, now: .at(5))
    #expect(memory.cachedReply(for: "http://a/1", now: .at(14)) == reply)
    #expect(memory.cachedReply(for: "http://a/1", now: .at(15)) == nil)
    memory.removeReplies(under: "http://a")
    #expect(memory.cachedReply(for: "http://a/1", now: .at(6)) == nil)
    #expect(memory.cachedReply(for: "http://b/1", now: .at(6)) == reply)
    for seconds in [0, -1, .nan, .infinity, 1e300] {
      memory.cache(reply, for: "http://c/1", seconds: seconds, now: .at(5))
      #expect(memory.cachedReply(for: "http://c/1", now: .at(5)) == nil)
    }
  }
}
