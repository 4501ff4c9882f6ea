// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Pipeline
import Positioning
import Testing

@testable import fixcast

/// The live view of receivers that deliver no fixes, and of the reasons.
@Suite("Obstacles in the live view")
struct WatchObstacleTests {
  private static let mute = "/dev/ttyACM0: not a byte comes. Is it on?"

  private func rows(_ scene: WatchScene, _ seconds: Double, columns: Int = 120) -> [String] {
    let lines = scene.lines(at: seconds, columns: columns)
    let start = lines.firstIndex { $0.hasPrefix("Receiver") } ?? lines.endIndex
    return lines[start...].prefix { !$0.hasPrefix("Sky") }.filter { !$0.isEmpty }
  }

  @Test("the live view shows an obstacle with its text until the first fix")
  func obstacle() {
    var scene = WatchScene()
    let loss = SourceLoss(.silent, detail: Self.mute, at: SceneEvents.time(5))
    scene.at(5, SourceEvent.lost(loss, source: "auto"))
    #expect(
      rows(scene, 7) == [
        "Receiver       2.0 s  /dev/ttyACM0: not a byte comes. Is it on?",
        "Fix            2.0 s  lost: the receiver sends nothing: /dev/ttyACM0: not a byte comes. Is it on?",
      ])
    scene.at(8, SceneEvents.location(at: 8))
    let lines = rows(scene, 9)
    #expect(lines.first == "Receiver       1.0 s  /dev/ttyACM0")
    #expect(lines.count { $0.hasPrefix("Receiver") } == 1)
    #expect(lines.contains("Fix            1.0 s  3D, 9 satellites"))
    #expect(!lines.contains { $0.contains("not a byte") })
  }

  @Test("the live view names an unreachable source until a receiver appears")
  func unreached() {
    var scene = WatchScene()
    scene.at(1, SourceEvent.lost(SourceLoss(.unreachable), source: "gpsd:h"))
    #expect(rows(scene, 2).first == "Receiver       1.0 s  auto: cannot be reached")
    scene.at(3, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyACM0", isActive: true)))
    #expect(
      rows(scene, 4).filter { $0.hasPrefix("Receiver") } == ["Receiver       1.0 s  /dev/ttyACM0"])
  }

  @Test("an obstacle at another port does not replace the reason for an unplugged receiver")
  func keepsReasons() {
    var scene = WatchScene()
    scene.at(1, SceneEvents.location(at: 1, source: "/dev/ttyUSB0"))
    let gone = SourceLoss(.deactivated, receiver: "/dev/ttyUSB0", at: SceneEvents.time(3))
    scene.at(3, SourceEvent.lost(gone, source: "auto"))
    // The report that the receiver is inactive follows its removal and does not change its state.
    scene.at(3, SourceEvent.receiver(ReceiverInfo(name: "/dev/ttyUSB0", isActive: false)))
    let obstacle = SourceLoss(.silent, detail: Self.mute, at: SceneEvents.time(9))
    scene.at(9, SourceEvent.lost(obstacle, source: "auto"))
    let lines = rows(scene, 10)
    #expect(lines.first == "Receiver       7.0 s  lost: /dev/ttyUSB0: the receiver is gone")
    #expect(
      lines.contains(
        "Fix            7.0 s  lost: the receiver sends nothing: /dev/ttyACM0: not a byte comes. Is it on?"
      ), "\(lines)")
    scene.at(11, SceneEvents.location(at: 11, source: "/dev/ttyUSB0"))
    #expect(rows(scene, 12).first == "Receiver       1.0 s  /dev/ttyUSB0")
  }

  @Test("if the list is full, inactive receivers do not replace the receiver in use")
  func notRead() {
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

  @Test("the live view shows the obstacles of all receivers, wrapped to the terminal's width")
  func wraps() {
    var scene = WatchScene()
    let detail = "\(Self.mute); /dev/ttyUSB0: bytes come, and no valid sentence."
    scene.at(5, SourceEvent.lost(SourceLoss(.silent, detail: detail), source: "auto"))
    for columns in [30, 60, 80] {
      let lines = scene.lines(at: 6, columns: columns)
      #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }
    let shown = rows(scene, 6, columns: 80).prefix { !$0.hasPrefix("Fix") }
    #expect(
      Array(shown) == [
        "Receiver       1.0 s  /dev/ttyACM0: not a byte comes. Is it on?; /dev/ttyUSB0:",
        "                      bytes come, and no valid sentence.",
      ])
  }
}
