// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Receivers
import Testing

@testable import fixcast

/// The live view of receivers that deliver no fixes, and of the reasons.
@Suite("Obstacles in the live view")
struct WatchObstacleTests {
  private static let noData = "/dev/ttyACM0: receiving no data; is it on?"

  private func rows(_ scene: WatchScene, _ seconds: Double, columns: Int = 120) -> [String] {
    let lines = scene.lines(at: seconds, columns: columns)
    let start = lines.firstIndex { $0.hasPrefix("Receiver") } ?? lines.endIndex
    return lines[start...].prefix { !$0.hasPrefix("Sky") }.filter { !$0.isEmpty }
  }

  @Test func `the live view shows an obstacle with its text until the first fix`() {
    var scene = WatchScene()
    let loss = SourceLoss(.silent, detail: Self.noData, at: .at(5))
    scene.at(5, SourceEvent.lost(loss, source: "auto"))
    #expect(
      rows(scene, 7) == [
        "Receiver       2.0 s  /dev/ttyACM0: receiving no data; is it on?",
        "Fix            2.0 s  lost: /dev/ttyACM0: receiving no data; is it on?",
      ])
    scene.at(8, SceneEvents.location(at: 8))
    let lines = rows(scene, 9)
    #expect(lines.first == "Receiver       1.0 s  /dev/ttyACM0")
    #expect(lines.count { $0.hasPrefix("Receiver") } == 1)
    #expect(lines.contains("Fix            1.0 s  3D, 9 satellites"))
    #expect(!lines.contains { $0.contains("receiving no data") })
  }

  @Test func `the live view names an unreachable source until a receiver appears`() {
    var scene = WatchScene()
    scene.at(1, SourceEvent.lost(SourceLoss(.unreachable), source: "gpsd:h"))
    #expect(rows(scene, 2).first == "Receiver       1.0 s  auto: cannot be reached")
    scene.at(3, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)))
    #expect(rows(scene, 4).filter { $0.hasPrefix("Receiver") } == ["Receiver       1.0 s  /dev/ttyACM0"])
  }

  @Test func `the live view shows the counts of the received lines while there is no position`() {
    var scene = WatchScene()
    scene.at(1, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)))
    #expect(!rows(scene, 2).contains { $0.hasPrefix("Received ") })
    scene.state.received.bytes = 3000
    scene.state.received[.used] = 39
    scene.state.received[.wrongChecksum] = 1
    let text = "3000 bytes, 40 lines: 39 used, 1 with a wrong checksum"
    #expect(rows(scene, 2).contains("Received              \(text)"))
    scene.at(3, SceneEvents.location(at: 3))
    #expect(!rows(scene, 4).contains { $0.hasPrefix("Received ") })
    scene.state.received[.wrongChecksum] = 20
    #expect(rows(scene, 4).contains { $0.hasPrefix("Received ") })
  }

  @Test func `an obstacle at another port does not replace the reason for an unplugged receiver`() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1, source: "/dev/ttyUSB0"))
    let gone = SourceLoss(.deactivated, receiver: "/dev/ttyUSB0", at: .at(3))
    scene.at(3, SourceEvent.lost(gone, source: "auto"))
    // After the removal, a report that the receiver is inactive does not change the shown state.
    scene.at(3, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyUSB0", isActive: false)))
    let obstacle = SourceLoss(.silent, detail: Self.noData, at: .at(9))
    scene.at(9, SourceEvent.lost(obstacle, source: "auto"))
    let lines = rows(scene, 10)
    #expect(lines.first == "Receiver       7.0 s  lost: /dev/ttyUSB0: the receiver is gone")
    #expect(lines.contains("Fix            7.0 s  lost: /dev/ttyACM0: receiving no data; is it on?"), "\(lines)")
    scene.at(11, SceneEvents.location(at: 11, source: "/dev/ttyUSB0"))
    #expect(rows(scene, 12).first == "Receiver       1.0 s  /dev/ttyUSB0")
  }

  @Test func `a receiver that was removed from the configuration is no longer listed`() {
    var scene = WatchScene()
    scene.at(1, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyUSB0", isActive: true)))
    scene.at(2, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)))
    let loss = SourceLoss(.deactivated, receiver: "/dev/ttyUSB0", detail: SourceGroup.removalDetail, at: .at(3))
    scene.at(3, SourceEvent.lost(loss, source: "auto"))
    scene.at(4, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: false)))
    #expect(!rows(scene, 5).contains { $0.contains("/dev/ttyUSB0") || $0.contains("/dev/ttyACM0") })
  }

  @Test func `after the daemon has restarted, only the receivers that the daemon reports are listed`() {
    var scene = WatchScene()
    for name in ["/dev/ttyUSB0", "/dev/ttyACM0"] {
      scene.at(1, SourceEvent.receiver(ReceiverInfo(name: name, isActive: true)))
    }
    let loss = SourceLoss(.unreachable, detail: "no daemon answers there; start one")
    scene.at(2, SourceEvent.lost(loss, source: "the daemon"))
    #expect(rows(scene, 3).count { $0.contains("no daemon answers") } == 3)
    scene.at(
      4, SourceEvent.connected(SourceServer(address: "/run/fixcast", release: nil)),
      SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)))
    let lines = rows(scene, 5).filter { $0.hasPrefix("Receiver") }
    #expect(lines == ["Receiver       1.0 s  /dev/ttyACM0"], "\(lines)")
  }

  @Test func `if the list is full, inactive receivers do not replace the receiver in use`() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1))
    for number in 16..<40 {
      let info = ReceiverInfo(name: "/dev/ttyACM\(number)", isActive: false)
      scene.at(2, SourceEvent.receiver(info))
    }
    let lines = rows(scene, 3).filter { $0.hasPrefix("Receiver") }
    #expect(lines.first == "Receiver       2.0 s  /dev/ttyACM0", "\(lines)")
    #expect(lines.last == "Receiver       1.0 s  /dev/ttyACM39, not read at present")
    #expect(scene.state.receivers.entries.count == WatchReceivers.limit)
  }

  @Test func `the live view shows the obstacles of all receivers, wrapped to the terminal's width`() {
    var scene = WatchScene()
    let detail = "\(Self.noData); /dev/ttyUSB0: receiving data but no valid NMEA."
    scene.at(5, SourceEvent.lost(SourceLoss(.silent, detail: detail), source: "auto"))
    for columns in [30, 60, 80] {
      let lines = scene.lines(at: 6, columns: columns)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }
    let shown = rows(scene, 6, columns: 80).prefix { !$0.hasPrefix("Fix") }
    #expect(
      Array(shown) == [
        "Receiver       1.0 s  /dev/ttyACM0: receiving no data; is it on?; /dev/ttyUSB0:",
        "                      receiving data but no valid NMEA.",
      ])
  }
}
