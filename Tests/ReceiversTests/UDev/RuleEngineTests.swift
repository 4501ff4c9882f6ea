// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The udev rules in `udevadm test`, with simulated devices and private /dev and /run.
@Suite(.timeLimit(.minutes(5)), .serialized) struct RuleEngineTests {
  private static let package = ReceiverCatalogTests.package
  private static let folder = package.appending(path: "Tests/ReceiversTests")
  private static let box = folder.appending(path: "Scripts/rulebox.sh").path
  private static let root = "/devices/pci0000:00/0000:00:14.0/usb1/"

  static let canRun =
    access("/usr/bin/umockdev-run", X_OK) == 0 && access("/usr/bin/udevadm", X_OK) == 0
    && mayUnshare
  private static let mayUnshare: Bool = {
    let probe = Process()
    probe.executableURL = URL(filePath: box)
    probe.arguments = ["--probe"]
    probe.standardError = FileHandle.nullDevice
    guard (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()
  static let needs: Comment =
    "needs umockdev, udev (make test-deps) and permission to create namespaces"

  /// A rule like ModemManager's for a Quectel EC25, which may not be installed.
  private static let modemManager = """
    SUBSYSTEM=="tty", ENV{ID_VENDOR_ID}=="2c7c", ENV{ID_MODEL_ID}=="0125", \
    ENV{ID_USB_INTERFACE_NUM}=="01", ENV{ID_MM_PORT_TYPE_GPS}="1"

    """

  /// The result of `udevadm test` for a device.
  private struct Outcome {
    var lines: [String]
    var status: Int32

    /// The messages about errors in Fixcast's rules.
    ///
    /// udevadm exits with 0 despite such errors.
    var ruleErrors: [String] {
      // Without the first letter, which may be in upper or lower case.
      let words = ["nvalid", "nknown", "ailed", "xpected", "gnoring", "issing", "nexpected"]
      return lines.filter { line in
        line.contains("fixcast") && line.contains(".rules:")
          && words.contains { line.contains($0) }
      }
    }

    private func section(_ name: String) -> [String] {
      Array(lines.drop { $0 != "== \(name)" }.dropFirst().prefix { !$0.hasPrefix("== ") })
    }

    var links: Set<String> { Set(section("links").filter { !$0.hasPrefix("/dev/char/") }) }
    var tags: Set<String> {
      Set(section("database").filter { $0.hasPrefix("G:") }.map { String($0.dropFirst(2)) })
    }
    func property(_ name: String) -> String? {
      section("database").first { $0.hasPrefix("E:\(name)=") }
        .map { String($0.dropFirst(name.count + 3)) }
    }
    /// The permissions that Fixcast's rules set, such as "GROUP 20".
    var permissions: [String] {
      lines.filter { $0.contains("61-fixcast.rules:") || $0.contains("79-fixcast") }
        .compactMap { $0.firstMatch(of: #/(GROUP|MODE) \S+$/#).map { String($0.0) } }
    }
  }

  private func run(_ device: String, _ path: String, rules: [URL]? = nil) async throws -> Outcome {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID())")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let manager = scratch.appending(path: "77-mm-described.rules")
    try Self.modemManager.write(to: manager, atomically: true, encoding: .utf8)
    let fixcastRules = ["61-fixcast.rules", "79-fixcast-modems.rules"].map {
      Self.package.appending(path: "udev/\($0)")
    }
    let arguments =
      [Self.folder.appending(path: "Devices/\(device).umockdev").path, Self.root + path]
      + ((rules ?? fixcastRules) + [manager]).map(\.path)
    return try await ChildProcess.use(path: Self.box, arguments: arguments) {
      let status = await $0.wait()
      return Outcome(lines: $0.lines.events, status: status >> 8 & 0xFF)
    }
  }

  @Test(
    .enabled(if: canRun, needs),
    arguments: [
      ("ublox7", "1-2/1-2:1.0/tty/ttyACM0"), ("mediatek", "1-3/1-3:1.1/tty/ttyACM0"),
    ])
  func `a known receiver gets a link, a group and a tag, and is ignored by ModemManager`(device: String, path: String)
    async throws
  {
    let outcome = try await run(device, path)
    #expect(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.ruleErrors == [])
    #expect(outcome.links.contains("/dev/fixcast/ttyACM0"), "\(outcome.links)")
    #expect(outcome.links.contains { $0.hasPrefix("/dev/serial/by-id/usb-") })
    #expect(outcome.tags.contains("fixcast"))
    #expect(outcome.property("ID_FIXCAST") == "receiver")
    #expect(outcome.property("ID_MM_DEVICE_IGNORE") == "1")
    let dialout = try #require(getgrnam("dialout")).pointee.gr_gid
    #expect(outcome.permissions == ["GROUP \(dialout)", "MODE 0660"])
  }

  @Test(
    .enabled(if: canRun, needs),
    arguments: [
      ("ftdi", "1-4/1-4:1.0/ttyUSB0/tty/ttyUSB0"), ("pl2303", "1-5/1-5:1.0/ttyUSB0/tty/ttyUSB0"),
    ])
  func `a converter is marked as a candidate and tagged, but gets no link and no permissions`(
    device: String, path: String
  ) async throws {
    let outcome = try await run(device, path)
    #expect(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.ruleErrors == [])
    #expect(outcome.property("ID_FIXCAST") == "candidate")
    #expect(outcome.tags.contains("fixcast"))
    #expect(!outcome.links.contains { $0.hasPrefix("/dev/fixcast") }, "\(outcome.links)")
    #expect(outcome.property("ID_MM_DEVICE_IGNORE") == nil)
    #expect(outcome.permissions == [])
  }

  @Test(.enabled(if: canRun, needs))
  func `a modem's GPS port is marked after ModemManager's rules have run, and is not ignored`() async throws {
    let outcome = try await run("quectel", "1-6/1-6:1.1/ttyUSB1/tty/ttyUSB1")
    #expect(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.ruleErrors == [])
    #expect(outcome.property("ID_MM_PORT_TYPE_GPS") == "1")
    #expect(outcome.property("ID_FIXCAST") == "modem")
    #expect(outcome.tags.contains("fixcast"))
    #expect(!outcome.links.contains { $0.hasPrefix("/dev/fixcast") })
    #expect(outcome.property("ID_MM_DEVICE_IGNORE") == nil)
    #expect(outcome.permissions == [])
  }

  @Test(.enabled(if: canRun, needs))
  func `without a matching rule, a device is neither marked nor tagged`() async throws {
    let empty = FileManager.default.temporaryDirectory.appending(path: "61-none-\(UUID()).rules")
    try "# nothing\n".write(to: empty, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: empty) }
    let outcome = try await run("ublox7", "1-2/1-2:1.0/tty/ttyACM0", rules: [empty])
    #expect(outcome.property("ID_BUS") == "usb")
    #expect(outcome.property("ID_FIXCAST") == nil)
    #expect(!outcome.tags.contains("fixcast"))
  }

  @Test(
    .enabled(if: canRun, needs),
    arguments: [
      ("SYMLINK+=", "SYMLNK+="), ("ATTRS{idVendor}==\"1546\"", "ATTRS{idVendor}=\"1546\""),
      ("TAG+=\"fixcast\", SYMLINK", "TAG+=fixcast, SYMLINK"),
      ("GROUP=\"dialout\"", "GROUP=\"no-such-group\""),
      ("GOTO=\"fixcast_end\"", "GOTO=\"nowhere\""),
    ])
  func `an error in a udev rule is detected although udevadm exits with 0`(right: String, wrong: String) async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "broken-\(UUID())")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let text = try String(
      contentsOf: Self.package.appending(path: "udev/61-fixcast.rules"), encoding: .utf8)
    try #require(text.contains(right))
    let broken = scratch.appending(path: "61-fixcast.rules")
    try text.replacing(right, with: wrong).write(to: broken, atomically: true, encoding: .utf8)
    let outcome = try await run("ublox7", "1-2/1-2:1.0/tty/ttyACM0", rules: [broken])
    #expect(outcome.status == 0)
    #expect(outcome.ruleErrors != [], "\(outcome.lines.filter { $0.contains("fixcast") })")
  }
}
