// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Rate limit of the log of uses") struct UseLogLimitTests {
  private static func time(_ seconds: Int64) -> BootTimestamp {
    BootTimestamp(utcSeconds: 1_795_262_400 + seconds, bootSeconds: seconds, boot: "b")
  }

  @Test func `a client can log 60 lines of uses at once, then three lines a minute`() {
    let limit = UseLogLimit()
    func written(_ user: UInt32, _ unit: String?, _ count: Int, at seconds: Int64) -> [UInt64] {
      let client = ClientIdentity(userID: user, systemUnit: unit)
      return (0..<count).compactMap { _ in limit.take(client, at: Self.time(seconds)) }
    }
    #expect(written(1001, nil, 4000, at: 100) == Array(repeating: 0, count: 60))
    #expect(written(1002, nil, 1, at: 100) == [0])
    #expect(written(1001, "map.service", 1, at: 100) == [0])
    // The next line contains the number of omitted lines.
    #expect(written(1001, nil, 10, at: 161) == [3940, 0, 0])
    #expect(written(1001, nil, 1, at: 200) == [7])
  }

  @Test func `many uses by one client do not displace another client's log lines, and are counted`() async throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/policy.d/test.conf", "allow everyone\n")
    let places = PolicyPaths(root: folder.path)
    let clock = EventRecorder<Int64>()
    let policies = PolicyStore(
      enforcing: places, now: { Self.time(100 + (clock.events.last ?? 0)) }, report: { _ in })
    func note(_ user: UInt32, _ count: Int) async {
      let policy = await withCheckedContinuation { continuation in
        policies.open(
          ClientIdentity(userID: user),
          process: ProcessToken(process: 7, startTicks: UInt64(user), boot: "b"), base: nil
        ) { continuation.resume(returning: $0) }
      }
      for _ in 0..<count { policy.note(.started(.oneShot)) }
      await policies.flush()
    }
    await note(1002, 1)
    await note(1001, 5000)
    clock.record(60)
    await note(1001, 1)
    let log = try String(
      decoding: BoundedFile.read(places.audit.usesPath, limit: 1 << 21), as: UTF8.self)
    let lines = log.split(separator: "\n")
    #expect(lines.count == 62 && lines[0].contains("uid=1002"))
    #expect(lines[61].contains(#""omitted":4940"#))
  }
}
