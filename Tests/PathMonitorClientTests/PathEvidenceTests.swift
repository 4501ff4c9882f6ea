// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import PathMonitorClient
import Testing

@Suite("Results of requests over a path", .timeLimit(.minutes(5)))
struct PathEvidenceTests {
  static let satisfied = NetworkPath(status: .satisfied)
  static let withoutDNS = NetworkPath(status: .satisfied, reason: .dnsMissing)
  static let noRoute = NetworkPath(status: .unsatisfied, reason: .noDefaultRoute)

  static func verified(_ verification: NetworkPath.Verification) -> NetworkPath {
    var path = satisfied
    path.verified = verification
    return path
  }

  @Test func `the result of a request is part of the path until the path changes`() {
    var path = VerifiedPath()
    #expect(path.handle(.yes, begunOn: 0) == nil)
    #expect(path.handle(Self.satisfied) == Self.satisfied)
    #expect(path.handle(Self.satisfied) == nil)
    #expect(path.handle(.portal, begunOn: path.number) == Self.verified(.portal))
    #expect(path.handle(.portal, begunOn: path.number) == nil)
    // If the monitor publishes an equal path, the result is kept.
    #expect(path.handle(Self.satisfied) == nil)
    #expect(path.handle(.yes, begunOn: path.number) == Self.verified(.yes))
    #expect(path.handle(Self.withoutDNS) == Self.withoutDNS)
  }

  @Test func `the result of a request is ignored if the path has changed or is unsatisfied`() {
    var path = VerifiedPath()
    _ = path.handle(Self.satisfied)
    let begun = path.number
    _ = path.handle(Self.noRoute)
    #expect(path.handle(.upstreamDead, begunOn: begun) == nil)
    #expect(path.handle(.upstreamDead, begunOn: path.number) == nil)
    _ = path.handle(Self.satisfied)
    #expect(path.handle(.upstreamDead, begunOn: begun) == nil)
    #expect(path.path == Self.satisfied)
  }

  @Test func `after random events, no path is repeated, and no unsatisfied path has a result`() {
    var generator = SeededGenerator(seed: 66)
    var verifiedCount = 0
    for _ in 0..<10_000 {
      var path = VerifiedPath()
      var published: [NetworkPath] = []
      var begun: [UInt64] = []
      var monitorPath: NetworkPath?
      for _ in 0..<12 {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
          let next = [Self.satisfied, Self.withoutDNS, Self.noRoute].randomElement(
            using: &generator)
          monitorPath = next
          if let next, let path = path.handle(next) { published.append(path) }
        case 1: begun.append(path.number)
        default:
          let number = begun.isEmpty ? 0 : begun.removeFirst()
          let outcome = [NetworkPath.Verification.yes, .portal].randomElement(using: &generator)
          if let outcome, let path = path.handle(outcome, begunOn: number) {
            verifiedCount += 1
            published.append(path)
            #expect(path.isSatisfied && path.verified == outcome)
          }
        }
      }
      #expect(zip(published, published.dropFirst()).allSatisfy { $0 != $1 })
      #expect(published.allSatisfy { $0.isSatisfied || $0.verified == nil })
      var last = published.last
      last?.verified = nil
      #expect(last == monitorPath)
    }
    #expect(verifiedCount > 1000)
  }

  @Test func `the result of a request from any task reaches every subscriber`() async {
    let sources = EventRecorder<AsyncStream<NetworkPath>.Continuation>()
    let evidence = PathEvidence(
      PathMonitorClient {
        let (paths, source) = AsyncStream.makeStream(of: NetworkPath.self)
        sources.record(source)
        return paths
      })
    var first = evidence.monitor.networkPaths().makeAsyncIterator()
    var second = evidence.monitor.networkPaths().makeAsyncIterator()
    for source in sources.events { source.yield(Self.satisfied) }
    #expect(await first.next() == Self.satisfied)
    #expect(await second.next() == Self.satisfied)
    let end = evidence.beginRequest()
    await Task.detached { end(.portal) }.value
    #expect(await first.next() == Self.verified(.portal))
    #expect(await second.next() == Self.verified(.portal))
    let late = evidence.beginRequest()
    for source in sources.events { source.yield(Self.noRoute) }
    #expect(await first.next() == Self.noRoute)
    late(.yes)
    for source in sources.events { source.yield(Self.satisfied) }
    #expect(await first.next() == Self.satisfied)
    for source in sources.events { source.finish() }
    #expect(await first.next() == nil)
  }

  @Test(arguments: ["yes", "portal", "upstreamDead"])
  func `the text of a path contains the text of the last request's result`(name: String) throws {
    let verification = try #require(NetworkPath.Verification(rawValue: name))
    #expect(Self.verified(verification).text == "satisfied; \(verification.text)")
  }

  @Test func `a lost and returned path counts as two changes, and the result of a request as none`() async {
    let (paths, path) = AsyncStream.makeStream(of: NetworkPath.self)
    let evidence = PathEvidence(PathMonitorClient { paths })
    #expect(evidence.changeCount == 0)
    var seen = evidence.monitor.networkPaths().makeAsyncIterator()
    path.yield(Self.satisfied)
    #expect(await seen.next() == Self.satisfied)
    #expect(evidence.changeCount == 1)
    evidence.beginRequest()(.portal)
    #expect(await seen.next() == Self.verified(.portal))
    #expect(evidence.changeCount == 1)
    path.yield(Self.noRoute)
    #expect(await seen.next() == Self.noRoute)
    path.yield(Self.satisfied)
    #expect(await seen.next() == Self.satisfied)
    #expect(evidence.changeCount == 3)
  }
}
