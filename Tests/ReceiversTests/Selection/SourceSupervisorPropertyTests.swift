// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

@testable import Receivers

/// Invariants of the supervisor for random sequences of events.
@Suite(.oneAtATime) struct SourceSupervisorPropertyTests {
  private static let receivers = (0..<4).map {
    DiscoveredReceiver.plugged("r\($0)", devnode: "/dev/ttyACM\($0)", role: $0 == 3 ? .converter : .receiver)
  }

  /// Sends a random event, possibly a late event of a run that has ended.
  private func sendRandomEvent(
    _ fixture: inout SupervisorFixture, _ endedRuns: [Int], using generator: inout SeededGenerator
  ) {
    let receiver = Self.receivers.randomElement(using: &generator) ?? Self.receivers[0]
    let run = Bool.random(using: &generator) ? fixture.run(of: receiver.devnode) : endedRuns.last
    let failures: [SourceFailure?] = [
      SourceFailure(.deactivated, "gone"), SourceFailure(.silent, "noValidSentences"),
      SourceFailure(.unreachable, "no"), nil,
    ]
    switch Int.random(in: 0..<24, using: &generator) {
    case 0, 1: fixture.plug(receiver)
    case 2: fixture.unplug(receiver)
    case 3: fixture.plug(receiver, isConfiguredForGPSD: true)
    case 4: fixture.end(run, failures.randomElement(using: &generator) ?? nil)
    case 5: fixture.receive(.connected(SourceServer(address: "x")), from: fixture.gpsdRun)
    case 6:
      let info = ReceiverInfo(name: receiver.devnode, isActive: true)
      fixture.receive(.receiver(info), from: fixture.gpsdRun)
    case 7: fixture.receive(.lost(SourceLoss(.disconnected)), from: fixture.gpsdRun)
    case 8:
      let loss = SourceLoss(.deactivated, receiver: receiver.devnode)
      fixture.receive(.lost(loss), from: fixture.gpsdRun)
    case 9: fixture.end(fixture.gpsdRun, failures.randomElement(using: &generator) ?? nil)
    case 10: fixture.advance(seconds: Double.random(in: 0...20, using: &generator))
    case 11: fixture.fix(receiver.devnode, from: fixture.gpsdRun)
    case 12: fixture.receive(.sky(SkyView()), from: run)
    case 13:
      var sky = SkyView()
      sky.source = receiver.devnode
      fixture.receive(.sky(sky), from: fixture.gpsdRun)
    default:
      fixture.advance(seconds: Double.random(in: 0...0.7, using: &generator))
      let error = Double.random(in: 1...30, using: &generator)
      fixture.fix(receiver.devnode, from: fixture.run(of: receiver.devnode), error: error)
    }
  }

  @Test func `for random events, each port has one run, and only running sources' events are delivered`() {
    var deliveredCount = 0
    for seed in 0..<200 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var fixture = SupervisorFixture(local: true)
      var endedRuns: [Int] = []
      var seen = 0
      var lastFix: String?
      for _ in 0..<150 {
        let before = Set(fixture.runs.keys)
        let chosenBefore = fixture.supervisor.members.selector.chosen
        sendRandomEvent(&fixture, endedRuns, using: &generator)
        endedRuns += before.subtracting(fixture.runs.keys)
        let events = fixture.events[seen...]
        seen = fixture.events.count
        for event in events {
          switch event {
          case .fix(let fix):
            lastFix = fix.source
            let keys = fixture.sentFixes.filter { $0.fix == fix }.map(\.key)
            #expect(!keys.isEmpty, "seed \(seed): fixes must be delivered unchanged")
            if events.last(where: { $0.fix != nil })?.fix == fix {
              #expect(keys.contains(fixture.supervisor.members.selector.delivered ?? ""), "seed \(seed)")
            }
          case .sky(let sky):
            #expect(sky.source == lastFix, "seed \(seed)")
            #expect(chosenBefore != nil, "seed \(seed)")
          case .lost: lastFix = nil
          default: break
          }
        }
        let supervisor = fixture.supervisor
        #expect(Set(supervisor.members.compactMap(\.run?.number)) == Set(fixture.runs.keys), "seed \(seed)")
        #expect(Set(fixture.devnodes).count == fixture.devnodes.count, "seed \(seed)")
        #expect(supervisor.members.map(\.name).count <= SourceMembers.limit, "seed \(seed)")
        if let chosen = supervisor.members.selector.chosen {
          let owner = supervisor.members.first { $0.owns(chosen) }
          #expect(owner?.run != nil, "seed \(seed): the chosen source must be running")
        }
        for member in supervisor.members where supervisor.claims.claims(member) {
          #expect(member.run == nil, "seed \(seed): reserved for gpsd")
        }
      }
      deliveredCount += fixture.delivered.count
    }
    #expect(deliveredCount > 2_000, "the random events must lead to fixes")
  }
}
