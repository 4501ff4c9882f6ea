// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@Suite("Combined path", .timeLimit(.minutes(5)))
struct CombinedPathTests {
  private static let satisfied = NetworkPath(status: .satisfied)
  private static let withoutDNS = NetworkPath(status: .satisfied, reason: .dnsMissing)
  private static let noRoute = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
  private static let noCarrier = NetworkPath(status: .unsatisfied, reason: .noCarrier)

  @Test func `a combined path is the first satisfied path, or else the path to the first destination`() {
    var path = CombinedPath(count: 2)
    // A satisfied path is published at once. An unsatisfied path is published once all paths are
    // known.
    #expect(path.handle(Self.noRoute, ofDestination: 0) == nil)
    #expect(path.handle(Self.withoutDNS, ofDestination: 1) == Self.withoutDNS)
    #expect(path.handle(Self.noCarrier, ofDestination: 0) == nil)
    #expect(path.handle(Self.noRoute, ofDestination: 1) == Self.noCarrier)
    #expect(path.handle(Self.noCarrier, ofDestination: 1) == nil)
    #expect(path.handle(Self.withoutDNS, ofDestination: 1) == Self.withoutDNS)
    #expect(path.handle(Self.satisfied, ofDestination: 0) == Self.satisfied)
    #expect(path.handle(Self.noRoute, ofDestination: 1) == nil)
    #expect(path.handle(Self.satisfied, ofDestination: 2) == nil)
  }

  @Test func `a combined path is satisfied exactly while any path is satisfied, and is never repeated`() {
    var generator = SeededGenerator(seed: 4)
    let choices = [Self.satisfied, Self.withoutDNS, Self.noRoute, Self.noCarrier]
    for _ in 0..<10_000 {
      var combined = CombinedPath(count: 3)
      var last: [NetworkPath?] = [nil, nil, nil]
      var published: NetworkPath?
      for _ in 0..<12 {
        let index = Int.random(in: 0..<3, using: &generator)
        let path = choices[Int.random(in: 0..<4, using: &generator)]
        last[index] = path
        if let new = combined.handle(path, ofDestination: index) {
          #expect(new != published)
          published = new
        }
        let known = last.compactMap { $0 }
        if known.count == 3 || known.contains(where: \.isSatisfied) {
          #expect(published?.isSatisfied == known.contains(where: \.isSatisfied))
        }
      }
    }
  }

  @Test func `a combined monitor is satisfied while any of its monitors is satisfied`() async throws {
    let clock = ManualClock()
    let local = PathMonitorClient.scripted(
      [(.zero, Self.satisfied), (.seconds(10), Self.noCarrier)], clock: clock)
    let any = try #require(PathMonitorClient.any(of: [.constant(Self.noRoute), local]))
    var paths = any.networkPaths().makeAsyncIterator()
    #expect(await paths.next() == Self.satisfied)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(await paths.next() == Self.noRoute)
    #expect(PathMonitorClient.any(of: []).map { _ in 1 } == nil)
  }
}
