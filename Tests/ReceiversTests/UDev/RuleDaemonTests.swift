// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The udev rules in a real systemd-udevd, with events from the kernel.
///
/// Unused virtual consoles replace receivers: the kernel's events, the daemon, its database,
/// the links and the permissions are real; only the vendor and product in sysfs are simulated.
/// `RuleEngineTests` covers the properties that usb_id sets, such as the by-id links.
@Suite(.timeLimit(.minutes(5)), .serialized) struct RuleDaemonTests {
  private static let package = ReceiverCatalogTests.package
  private static let box = package.appending(path: "Tests/ReceiversTests/Scripts/udevdbox.sh").path

  /// The consoles and their simulated USB ids.
  private static let devices = [
    "tty41": "1546:01a7",  // u-blox 7
    "tty42": "0e8d:3329",  // MediaTek
    "tty43": "0403:6001",  // FTDI
    "tty44": "2c7c:0125",  // Quectel EC25
    "tty45": "1209:0001",  // not in any rule
    "tty46": "1209:0002",  // in a local rule
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
    "needs systemd-udevd, virtual consoles and permission to create namespaces"

  /// Additional rules: a rule for a modem, similar to ModemManager's, and a local rule.
  private static let additionalRules = [
    "77-mm-described.rules": """
    SUBSYSTEM=="tty", ATTRS{idVendor}=="2c7c", ATTRS{idProduct}=="0125", \
    ENV{ID_MM_PORT_TYPE_GPS}="1"

    """,
    "60-board.rules": """
    SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0002", \
    ENV{ID_FIXCAST}="receiver"

    """,
  ]

  /// The entry of a device in udev's database, with its links and devnode.
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

    /// The log messages about Fixcast's rules.
    ///
    /// The daemon continues after errors in rules.
    var ruleErrors: [String] { entry("log").lines.filter { $0.contains("fixcast") } }
  }

  /// Runs the daemon with all devices and Fixcast's rules, after applying `change` to these rules.
  private func run(changing change: (String) -> String = { $0 }) async throws -> Outcome {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "udevd-\(UUID())")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    var texts = Self.additionalRules
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

  @Test(.enabled(if: canRun, needs))
  func `udevd links receivers and sets their group, and only marks candidates and modems`() async throws {
    let outcome = try await run()
    try #require(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.ruleErrors == [])
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
      // The default of udev's rules for a console.
      #expect(entry.node == "tty 620", "\(name)")
      #expect(entry.property("ID_MM_DEVICE_IGNORE") == nil, "\(name)")
    }
  }

  @Test(
    .enabled(if: canRun, needs),
    arguments: [("SYMLINK+=", "SYMLNK+="), ("GROUP=\"dialout\"", "GROUP=\"no-such-group\"")])
  func `udevd logs an error in a rule and applies the other rules`(right: String, wrong: String) async throws {
    let outcome = try await run { $0.replacing(right, with: wrong) }
    #expect(outcome.status == 0)
    #expect(outcome.ruleErrors != [], "\(outcome.entry("log").lines)")
    #expect(outcome.entry("tty43").property("ID_FIXCAST") == "candidate")
  }
}
