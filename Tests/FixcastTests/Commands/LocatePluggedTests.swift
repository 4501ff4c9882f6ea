// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The `fixcast locate` command with autodetected, emulated devices.
@Suite(
  .timeLimit(.minutes(5)), .serialized,
  .enabled(if: DevicesCommandTests.canEmulate && getuid() == 0, "needs umockdev and root"))
struct LocatePluggedTests {
  private static let devices = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "ReceiversTests/Devices").path

  /// Runs the command with a file mounted over gpsd's configuration in a private namespace.
  private func locate(
    device: String?, configuration: String = "/dev/null"
  ) async throws -> (lines: [String], code: Int32) {
    let emulation = device.map { "-d \(Self.devices)/\($0).umockdev" } ?? ""
    let script = """
      mount --bind \(configuration) /etc/default/gpsd 2>/dev/null
      exec umockdev-run \(emulation) -- \(Program.path) locate --timeout 5
      """
    return try await ChildProcess.run(
      path: "/usr/bin/unshare", arguments: ["-mn", "sh", "-c", script]
    )
  }

  @Test func `without a device, locate waits until the timeout and exits with 69`() async throws {
    let result = try await locate(device: nil)
    #expect(result.code == 69)
    #expect(
      result.lines.last?.contains("no receiver in 5 s") == true, "\(result.lines)")
  }

  @Test func `locate exits with 75 if the receiver sends no data`() async throws {
    let result = try await locate(device: "ublox7")
    #expect(result.code == 75)
    #expect(result.lines.last?.contains("no data in ") == true, "\(result.lines)")
  }

  @Test func `locate does not open a converter, and names the option that opens it`() async throws {
    let result = try await locate(device: "pl2303")
    #expect(result.code == 69)
    #expect(result.lines.last?.contains("--source serial:/dev/ttyUSB0") == true, "\(result.lines)")
  }

  @Test(.enabled(if: GPSDaemon.isInstalled, "needs gpsd"))
  func `locate does not open a receiver configured for gpsd, even if gpsd is not running`() async throws {
    let configuration = try ScratchFile("USBAUTO=\"true\"\n".utf8)
    let result = try await locate(device: "ublox7", configuration: configuration.path)
    #expect(result.code == 69)
    #expect(
      result.lines.last?.contains("sudo systemctl start gpsd.socket gpsd") == true,
      "\(result.lines)")
  }
}
