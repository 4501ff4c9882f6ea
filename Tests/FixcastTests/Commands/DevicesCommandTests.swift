// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The `fixcast devices` command with emulated USB devices that connect and disconnect.
@Suite(.timeLimit(.minutes(5)), .serialized) struct DevicesCommandTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "ReceiversTests")
  private static let wrapper = "/usr/bin/umockdev-wrapper"
  private static let runner = "/usr/bin/umockdev-run"

  /// Whether devices can be emulated.
  static let canEmulate = access(runner, X_OK) == 0
  /// Whether Debian's Python with the umockdev bindings is installed, which `hotplug.py` needs.
  static let canHotplug: Bool = {
    guard access(wrapper, X_OK) == 0 else { return false }
    let probe = Process()
    probe.executableURL = URL(filePath: "/usr/bin/python3")
    probe.arguments = ["-c", "import gi; gi.require_version('UMockdev', '1.0')"]
    probe.standardError = FileHandle.nullDevice
    guard (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()
  static let requirement: Comment = "needs umockdev and its Python bindings: make test-deps"

  /// The resources of a process.
  struct ResourceUsage: Decodable {
    var descriptors: Int
    var threads: Int
    var residentBytes: Int
    var kinds: [String]

    func expectNoLeak(until after: ResourceUsage, sourceLocation: SourceLocation = #_sourceLocation) {
      #expect(
        after.descriptors <= descriptors, "before: \(kinds), after: \(after.kinds)", sourceLocation: sourceLocation)
      #expect(after.threads <= threads, sourceLocation: sourceLocation)
      #expect(after.residentBytes - residentBytes < 1 << 20, sourceLocation: sourceLocation)
    }
  }

  private struct Device: Decodable {
    var path: String
    var name: String
    var state: String
    var model: String?
    var consent: String?
  }

  private struct Cycle: Decodable {
    var found: Device
    var foundSeconds: Double
    var gone: Device
    var goneSeconds: Double
  }

  /// Runs a script that emulates devices, and decodes its last line.
  static func play<Result: Decodable>(
    _ script: String, _ arguments: [String], as type: Result.Type
  ) async throws -> Result {
    let path = folder.appending(path: "Scripts/" + script).path
    let lines = try await ChildProcess.use(path: wrapper, arguments: ["/usr/bin/python3", path] + arguments) {
      _ = await $0.wait()
      return $0.lines.events
    }
    let last = try #require(lines.last { $0.hasPrefix("{") }, "\(lines)")
    print("\(arguments[0]): \(last)")
    return try JSONDecoder().decode(type, from: Data(last.utf8))
  }

  private func play<Result: Decodable>(_ scenario: String, as type: Result.Type) async throws -> Result {
    try await Self.play("hotplug.py", [scenario, Program.path, "devices", "--watch", "--json"], as: type)
  }

  @Test(.enabled(if: canHotplug, requirement))
  func `devices reports a connection and a removal, under a stable name`() async throws {
    struct Report: Decodable {
      var cycles: [Cycle]
      var exit: Int
    }
    let seen = try await play("replug", as: Report.self)
    #expect(seen.exit == 0)
    #expect(seen.cycles.map(\.found.path) == ["/dev/ttyACM0", "/dev/ttyACM1"])
    for cycle in seen.cycles {
      #expect(cycle.found.state == "receiver")
      #expect(cycle.found.model == "u-blox 7")
      #expect(cycle.gone.state == "gone")
      #expect(cycle.gone.path == cycle.found.path)
      #expect(cycle.found.name == "usb-u-blox_AG_u-blox_7-if00")
      #expect(cycle.gone.name == cycle.found.name)
    }
    #expect(TimeGoal.isReached(seen.cycles.map(\.foundSeconds).min(), atMostSeconds: 2))
    #expect(TimeGoal.isReached(seen.cycles.map(\.goneSeconds).min(), atMostSeconds: 1))
  }

  @Test(.enabled(if: canHotplug, requirement))
  func `devices reports a device that was connected before the start exactly once`() async throws {
    struct Report: Decodable {
      var found: Device
      var gone: Device
    }
    let seen = try await play("plugged-before", as: Report.self)
    #expect([seen.found.state, seen.gone.state] == ["receiver", "gone"])
    #expect(seen.found.name == seen.gone.name)
  }

  @Test(.enabled(if: canHotplug, requirement))
  func `devices leaks no descriptors, threads or memory in 200 connections`() async throws {
    struct Report: Decodable {
      var cycles: Int
      var before: ResourceUsage
      var after: ResourceUsage
      var usualFoundSeconds: Double
      var usualGoneSeconds: Double
    }
    let seen = try await play("many", as: Report.self)
    #expect(seen.cycles == 200)
    seen.before.expectNoLeak(until: seen.after)
    print("found after \(seen.usualFoundSeconds) s, gone after \(seen.usualGoneSeconds) s (median)")
    #expect(TimeGoal.isReached(seen.usualFoundSeconds, atMostSeconds: 2))
    #expect(TimeGoal.isReached(seen.usualGoneSeconds, atMostSeconds: 1))
  }

  @Test(.enabled(if: canHotplug, requirement))
  func `devices lists a PL2303 converter as a candidate without opening it or changing its settings`() async throws {
    struct Report: Decodable {
      var said: Device
      var opened: Bool
      var receiverOpened: Bool
      var settingsChanged: Bool
      var held: Bool
      var wouldShow: Bool
    }
    let seen = try await play("untouched", as: Report.self)
    #expect(seen.said.state == "candidate")
    #expect(seen.said.consent?.hasPrefix("--source serial:/dev/serial/by-id/usb-Prolific") == true)
    #expect(!seen.opened)
    #expect(!seen.receiverOpened)
    #expect(!seen.settingsChanged)
    #expect(!seen.held)
    #expect(seen.wouldShow, "the test would not detect that the device is opened")
  }

  @Test(.enabled(if: canHotplug, requirement))
  func `devices lists the program that has a receiver open`() async throws {
    struct Holder: Decodable {
      var pid: Int
      var program: String
    }
    struct Said: Decodable {
      var state: String
      var heldBy: [Holder]
    }
    struct Report: Decodable {
      var said: Said
      var holder: Int
    }
    let seen = try await play("held", as: Report.self)
    #expect(seen.said.state == "receiver")
    #expect(seen.said.heldBy.map(\.pid) == [seen.holder])
    #expect(seen.said.heldBy.map(\.program) == ["python3"])
  }

  @Test(.enabled(if: canEmulate, requirement))
  func `devices lists the connected devices as an aligned table`() async throws {
    let devices = ["ublox7", "pl2303", "quectel"].flatMap {
      ["-d", Self.folder.appending(path: "Devices/\($0).umockdev").path]
    }
    let (lines, code) = try await ChildProcess.run(
      path: Self.runner, arguments: devices + ["--", Program.path, "devices"]
    )
    #expect(code == 0)
    let heading = try #require(lines.first { $0.hasPrefix("DEVNODE") }, "\(lines)")
    let model = heading.distance(from: heading.startIndex, to: try #require(heading.range(of: "MODEL")).lowerBound)
    func row(_ devnode: String) throws -> String {
      try #require(lines.first { $0.hasPrefix(devnode + " ") }, "\(lines)")
    }
    #expect(try row("/dev/ttyACM0").dropFirst(model).hasPrefix("u-blox 7 "))
    #expect(try row("/dev/ttyACM0").contains(" receiver "))
    #expect(try row("/dev/ttyUSB0").dropFirst(model).hasPrefix("Prolific PL2303 converter "))
    #expect(try row("/dev/ttyUSB0").contains(" candidate "))
    #expect(try row("/dev/ttyUSB1").dropFirst(model).hasPrefix("Quectel EC25 "))
    #expect(try row("/dev/ttyUSB1").contains(" ignored "))
    #expect(lines.contains { $0.hasSuffix("only if you name it: --source serial:/dev/ttyUSB0") })
    #expect(lines.allSatisfy { !$0.hasSuffix(" ") })
  }
}
