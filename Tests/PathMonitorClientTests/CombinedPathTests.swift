// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@Suite("Combined path", .timeLimit(.minutes(5)))
struct CombinedPathTests {
  private static let there = NetworkPath(status: .satisfied)
  private static let other = NetworkPath(status: .satisfied, reason: .dnsMissing)
  private static let noRoute = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)
  private static let noCarrier = NetworkPath(status: .unsatisfied, reason: .noCarrier)

  @Test("a combined path is the first satisfied path, or else the first path")
  func value() {
    var path = CombinedPath(count: 2)
    // A satisfied path is published at once. An unsatisfied path is published once all paths are
    // known.
    #expect(path.handle(Self.noRoute, ofDestination: 0) == nil)
    #expect(path.handle(Self.other, ofDestination: 1) == Self.other)
    #expect(path.handle(Self.noCarrier, ofDestination: 0) == nil)
    #expect(path.handle(Self.noRoute, ofDestination: 1) == Self.noCarrier)
    #expect(path.handle(Self.noCarrier, ofDestination: 1) == nil)
    #expect(path.handle(Self.other, ofDestination: 1) == Self.other)
    #expect(path.handle(Self.there, ofDestination: 0) == Self.there)
    #expect(path.handle(Self.noRoute, ofDestination: 1) == nil)
    #expect(path.handle(Self.there, ofDestination: 2) == nil)
  }

  @Test("a combined path is satisfied exactly while one of its paths is, and is never repeated")
  func property() {
    var generator = SeededGenerator(seed: 4)
    let choices = [Self.there, Self.other, Self.noRoute, Self.noCarrier]
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

  @Test("a combined monitor is satisfied by the local network alone")
  func monitors() async throws {
    let clock = ManualClock()
    let home = PathMonitorClient.scripted(
      [(.zero, Self.there), (.seconds(10), Self.noCarrier)], clock: clock)
    let any = try #require(PathMonitorClient.any(of: [.constant(Self.noRoute), home]))
    var paths = any.networkPaths().makeAsyncIterator()
    #expect(await paths.next() == Self.there)
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    #expect(await paths.next() == Self.noRoute)
    #expect(PathMonitorClient.any(of: []).map { _ in 1 } == nil)
  }
}
