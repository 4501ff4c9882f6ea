// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Emulated receivers that connect and disconnect while a source group reads them.
@Suite(.timeLimit(.minutes(5)), .enabled(if: DevicesCommandTests.canHotplug, DevicesCommandTests.requirement))
struct HotplugTests {
  private static let bench = URL(filePath: Program.path).deletingLastPathComponent()
    .appending(path: "fixcast-bench").path

  private func play<Result: Decodable>(
    _ scenario: String, consent: Bool = false, as type: Result.Type
  ) async throws -> Result {
    let arguments = [scenario, Self.bench, "group", consent ? "candidates" : "-", "1"]
    return try await DevicesCommandTests.play("group.py", arguments, as: type)
  }

  @Test func `connecting a receiver yields a fix, and removing it a loss, also with another devnode`() async throws {
    struct Cycle: Decodable {
      var source: String
      var names: [String?]
      var fixSeconds: Double
      var lostSeconds: Double
      var reason: String
    }
    struct Report: Decodable { var cycles: [Cycle] }
    let seen = try await play("replug", as: Report.self)
    #expect(seen.cycles.map(\.source) == ["/dev/ttyACM0", "/dev/ttyACM1", "/dev/ttyACM2"])
    for cycle in seen.cycles {
      #expect(cycle.names == ["usb-u-blox_AG_u-blox_7-if00"])
      #expect(cycle.reason == "deactivated")
    }
    #expect(TimeGoal.isReached(seen.cycles.map(\.fixSeconds).min(), atMostSeconds: 2))
    #expect(TimeGoal.isReached(seen.cycles.map(\.lostSeconds).min(), atMostSeconds: 1))
  }

  @Test func `connecting a receiver 200 times leaks no descriptors, threads or memory`() async throws {
    struct Report: Decodable {
      var cycles: Int
      var before: DevicesCommandTests.ResourceUsage
      var after: DevicesCommandTests.ResourceUsage
      var usualFixSeconds: Double
      var usualLostSeconds: Double
    }
    let seen = try await play("many", as: Report.self)
    #expect(seen.cycles == 200)
    // The number may have decreased if discovery was still running at the first count.
    seen.before.expectNoLeak(until: seen.after)
    #expect(TimeGoal.isReached(seen.usualFixSeconds, atMostSeconds: 2))
    #expect(TimeGoal.isReached(seen.usualLostSeconds, atMostSeconds: 1))
  }

  @Test func `while the better receiver is absent, the other one delivers, and no loss is reported`() async throws {
    struct Report: Decodable {
      var returnSeconds: Double
      var early: Int
      var lost: Int
      var between: Int
    }
    let seen = try await play("two", as: Report.self)
    #expect(seen.early == 0, "the worse receiver was used while the better one was present")
    // Selecting a receiver without data would have been reported as a loss.
    #expect(seen.lost == 0)
    #expect(seen.returnSeconds >= 4.5)
    #expect(seen.between >= 2, "the worse receiver delivered no fixes in the meantime")
  }

  private struct Converter: Decodable {
    var opened: Bool
    var releasedSeconds: Double?
    var writtenBytes: Int
    /// All events about the converter.
    var events: [Event]
    struct Event: Decodable {
      var event: String
      var reason: String?
      /// Whether the event only reports that the port delivers no data.
      var isObstacle: Bool { event == "lost" && reason == "silent" }
    }
  }

  @Test(arguments: ["unasked-silent", "unasked-arduino"])
  func `a PL2303 converter is not opened without consent`(scenario: String) async throws {
    let seen = try await play(scenario, as: Converter.self)
    #expect(!seen.opened)
    #expect(seen.writtenBytes == 0 && seen.events.isEmpty)
  }

  @Test(arguments: ["silent-converter", "arduino"])
  func `with consent a converter without NMEA is opened, reported as silent and released`(scenario: String) async throws
  {
    let seen = try await play(scenario, consent: true, as: Converter.self)
    #expect(seen.opened)
    #expect(seen.releasedSeconds != nil)
    #expect(seen.writtenBytes == 0)
    #expect(seen.events.allSatisfy { $0.isObstacle }, "a fix or a receiver was reported: \(seen.events)")
    // There may be one event for missing data, one for giving up, and one for the removal.
    #expect((1...3).contains(seen.events.count))
  }
}
