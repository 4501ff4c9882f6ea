// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Receivers
import Testing

/// The output of `fixcast status` and `fixcast doctor` for what the daemon's receiver sends.
@Suite(.timeLimit(.minutes(5))) struct DaemonReceiverTests {
  /// A missing antenna, a sentence with refused content, and a position at 0° N, 0° E.
  private static let burst = """
    $GPTXT,01,01,02,ANTSTATUS=OPEN*2B\r
    $GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S*26\r
    $GPRMC,120000,A,0000.0000,S,00000.0000,W,0.0,0.0,010326,,,A*7A\r

    """

  @Test("status and doctor name refused sentences, a missing antenna and a position at 0° N, 0° E")
  func faults() async throws {
    let board = try DaemonBoard()
    let terminal = try PseudoTerminal(permissions: 0o666)
    try board.configure(
      DaemonBoard.source("type = \"serial\"\ndevice = \"\(terminal.devnode)\""))
    let device = Task {
      while !Task.isCancelled {
        terminal.write(Array(Self.burst.utf8))
        // A pause ends the epoch.
        try? await ContinuousClock().sleep(for: .milliseconds(600))
      }
    }
    defer { device.cancel() }
    try await board.use { daemon in
      // The daemon has read a whole burst once it delivers a position.
      let located = try await board.run("locate", "--timeout", "60")
      #expect(located.code == 0, "\(located.lines)")
      let status = try await board.run("status")
      let statusText = status.lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
      let doctor = try await board.run("doctor")
      for (subject, text) in [
        ("received ", "refused (the first: GPRMC field 1: not a time of day)"),
        ("antenna ", "the receiver reports that no antenna is connected (open)"),
        ("position ", "the position is exactly 0° N, 0° E"),
      ] {
        #expect(statusText.contains(text), "\(status.lines)")
        #expect(
          doctor.lines.contains { $0.dropFirst(6).hasPrefix(subject) && $0.contains(text) },
          "\(doctor.lines)")
      }
      #expect(await daemon.end() == 0)
    }
  }
}
