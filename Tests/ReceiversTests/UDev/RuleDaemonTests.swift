// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The rules in a real systemd-udevd, to which the kernel announces devices.
///
/// No kernel without USB can announce a receiver, so unused virtual consoles stand for them: the
/// announcement, the daemon, its database, the links and the permissions are real, and only the
/// vendor and product in sysfs are shown to it. What usb_id would add, such as names by id, is
/// held by `RuleEngineTests`.
@Suite(.timeLimit(.minutes(5)), .serialized) struct RuleDaemonTests {
  private static let package = ReceiverCatalogTests.package
  private static let box = package.appending(path: "Tests/ReceiversTests/Scripts/udevdbox.sh").path

  /// Consoles and what they are shown as.
  private static let devices = [
    "tty41": "1546:01a7",  // u-blox 7
    "tty42": "0e8d:3329",  // MediaTek
    "tty43": "0403:6001",  // FTDI
    "tty44": "2c7c:0125",  // Quectel EC25
    "tty45": "1209:0001",  // nothing that the rules name
    "tty46": "1209:0002",  // named by a rule of the board's own
  ]

  static let canRun: Bool = {
    let probe = Process()
    probe.executableURL = URL(filePath: box)
    probe.arguments = ["--probe", devices.keys.joined(separator: " ")]
    probe.standardError = FileHandle.nullDevice
    guard (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()
  static let needs: Comment =
    "needs systemd-udevd, virtual consoles and the right to make namespaces"

  /// What is shown beside our rules: ModemManager's word on a modem, and a board's own rule.
  private static let others = [
    "77-mm-described.rules": """
    SUBSYSTEM=="tty", ATTRS{idVendor}=="2c7c", ATTRS{idProduct}=="0125", \
    ENV{ID_MM_PORT_TYPE_GPS}="1"

    """,
    "60-board.rules": """
    SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0002", \
    ENV{ID_FIXCAST}="receiver"

    """,
  ]

  /// What the daemon has made of a device.
  private struct Entry {
    var lines: [String]

    private func values(_ prefix: String) -> [String] {
      lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    var links: [String] { values("L:") }
    var tags: [String] { values("G:") }
    var node: String? { values("N:").first }
    func property(_ name: String) -> String? { values("E:\(name)=").first }
  }

  private struct Outcome {
    var lines: [String]
    var status: Int32

    func entry(_ name: String) -> Entry {
      Entry(
        lines: Array(lines.drop { $0 != "== \(name)" }.dropFirst().prefix { !$0.hasPrefix("==") }))
    }

    /// What the daemon says of our rules: it goes on after whatever is wrong with them.
    var complaints: [String] { entry("log").lines.filter { $0.contains("fixcast") } }
  }

  /// Runs the daemon with our rules, changed or not, and all devices.
  private func run(changing change: (String) -> String = { $0 }) async throws -> Outcome {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "udevd-\(UUID())")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    var texts = Self.others
    for name in ["61-fixcast.rules", "79-fixcast-modems.rules"] {
      texts[name] = change(
        try String(contentsOf: Self.package.appending(path: "udev/\(name)"), encoding: .utf8))
    }
    for (name, text) in texts {
      try text.write(to: scratch.appending(path: name), atomically: true, encoding: .utf8)
    }
    let devices = Self.devices.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
    let rules = texts.keys.map { scratch.appending(path: $0).path }
    return try await ChildProcess.use(path: Self.box, arguments: [devices] + rules) {
      let status = await $0.wait()
      return Outcome(lines: $0.lines.events, status: status)
    }
  }

  @Test(
    "links receivers, opens them to a group, and marks the rest, when the kernel announces them",
    .enabled(if: canRun, needs))
  func announced() async throws {
    let outcome = try await run()
    try #require(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.complaints == [])
    for name in ["tty41", "tty42", "tty46"] {
      let entry = outcome.entry(name)
      #expect(entry.links.contains("/dev/fixcast/\(name)"), "\(name): \(entry.lines)")
      #expect(entry.node == "dialout 660", "\(name)")
      #expect(entry.tags.contains("fixcast"), "\(name)")
      #expect(entry.property("ID_FIXCAST") == "receiver", "\(name)")
      #expect(entry.property("ID_MM_DEVICE_IGNORE") == "1", "\(name)")
    }
    for (name, claim) in [("tty43", "candidate"), ("tty44", "modem"), ("tty45", nil)] {
      let entry = outcome.entry(name)
      #expect(entry.property("ID_FIXCAST") == claim, "\(name): \(entry.lines)")
      #expect(entry.tags.contains("fixcast") == (claim != nil), "\(name)")
      #expect(!entry.links.contains { $0.hasPrefix("/dev/fixcast") }, "\(name)")
      // As udev's own rules have it for a console.
      #expect(entry.node == "tty 620", "\(name)")
      #expect(entry.property("ID_MM_DEVICE_IGNORE") == nil, "\(name)")
    }
  }

  @Test(
    "hears the daemon complain about a broken rule, which stops nothing",
    .enabled(if: canRun, needs),
    arguments: [("SYMLINK+=", "SYMLNK+="), ("GROUP=\"dialout\"", "GROUP=\"no-such-group\"")])
  func broken(right: String, wrong: String) async throws {
    let outcome = try await run { $0.replacing(right, with: wrong) }
    #expect(outcome.status == 0)
    #expect(outcome.complaints != [], "\(outcome.entry("log").lines)")
    #expect(outcome.entry("tty43").property("ID_FIXCAST") == "candidate")
  }
}
