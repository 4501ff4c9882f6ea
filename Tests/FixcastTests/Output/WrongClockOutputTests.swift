// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import fixcast

/// The output of status and watch on a board whose system clock is wrong.
@Suite("Commands with a wrong system clock")
struct WrongClockOutputTests {
  private static let noon = UTCTime.noon.secondsSince1970

  @Test(
    arguments: [
      (100, "the system clock is 56 years behind the receiver"),
      (1_577_836_800, "the system clock is 6 years behind the receiver"),
      (1_795_262_400 + 31_536_000, "the system clock is 365 days ahead of the receiver"),
    ] as [(Int64, String)])
  func `status and watch say by how much the clock is wrong, and the command that sets it`(system: Int64, facts: String)
  {
    var scene = WatchScene()
    var event = SceneEvents.location(at: 1)
    event.location.time = .noon
    scene.at(1, event)
    func watch(_ system: Int64?) -> [String] {
      WatchView(columns: 200, rows: 40, usesColor: false).lines(
        scene.state, now: .at(1),
        systemTime: system.map { UTCTime(secondsSince1970: $0) })
    }
    // The row is broken into lines of the first column.
    let lines = watch(system).drop { !$0.hasPrefix("Clock") }
    let row = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(row.hasPrefix("Clock \(facts); set it: sudo date --utc --set=2026-11-21T12:00:00Z"))
    #expect(row.contains("(with a network: sudo timedatectl set-ntp true)"), "\(row)")
    // Without a warning for a right clock, and for a recording.
    #expect(!(watch(Self.noon + 30) + watch(nil)).contains { $0.hasPrefix("Clock") })
    let status = StatusText(
      DaemonStatus(
        client: "uid=0", authorization: DaemonAuthorization(Authorization(.authorizedAlways)),
        connectionCount: 1, refusedCount: 0,
        daemon: Array(#"{"clock":{"ahead":\#(system - Self.noon),"receiverSeconds":\#(Self.noon)}}"#.utf8))
    ).lines
    let text = status.map { String($0.drop { $0 == " " }) }.joined(separator: " ")
    #expect(text.contains("\(facts); set it: sudo date --utc --set=2026-11-21T12:00:00Z"), "\(text)")
  }

  @Test func `status explains a missing fix once, with satellites and the next step`() {
    let status = StatusText(
      DaemonStatus(
        client: "uid=0", authorization: DaemonAuthorization(Authorization(.authorizedAlways)),
        connectionCount: 1, refusedCount: 0,
        daemon: Array(
          (#"{"source":{"name":"/dev/a","state":"running","bytes":90,"notices":["/dev/a: x"],"#
            + #""noFix":{"source":"/dev/a","input":"nmea","reportsEpochs":true,"seconds":40,"#
            + #""inView":12,"withSignal":9,"strong":6,"strongest":44}}}"#).utf8))
    ).lines
    let text = status.map { String($0.drop { $0 == " " }) }.joined(separator: " ")
    #expect(
      text.contains(
        "/dev/a: no fix in 40 s of data: 12 satellites in view, 9 with a signal, the strongest "
          + "44 dB-Hz; wait, the signals are strong enough"), "\(text)")
    #expect(!text.contains("/dev/a: x"))
  }
}
