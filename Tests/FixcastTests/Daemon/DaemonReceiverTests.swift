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

  @Test func `status and doctor name refused sentences, a missing antenna and a position at 0° N, 0° E`() async throws {
    let board = try DaemonFixture()
    let receiver = try PseudoTerminal(permissions: 0o666)
    try board.configure(serialDevice: receiver.devnode)
    let device = receiver.sendBursts { _ in Array(Self.burst.utf8) }
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
        #expect(doctor.lines.contains { $0.dropFirst(6).hasPrefix(subject) && $0.contains(text) }, "\(doctor.lines)")
      }
      let fix = doctor.lines.contains { $0.hasPrefix("ok    fix ") && $0.contains("the last position is ") }
      #expect(fix, "\(doctor.lines)")
      #expect(await daemon.end() == 0)
    }
  }

  @Test func `watch --json prints the heading and the statements of the daemon's receiver`() async throws {
    let board = try DaemonFixture()
    let receiver = try PseudoTerminal(permissions: 0o666)
    try board.configure(serialDevice: receiver.devnode)
    let device = receiver.sendBursts(HeadingReceiver.burst)
    defer { device.cancel() }
    try await board.use { daemon in
      let lines = try await ChildProcess.use(
        path: Program.path, arguments: ["watch", "--json", "--no-weather"],
        environment: board.environment
      ) { await $0.lines.wait(until: HeadingReceiver.isComplete) }
      HeadingReceiver.check(lines, receiver.devnode)
      #expect(await daemon.end() == 0)
    }
  }

  @Test func `watch shows the counts of the lines that the daemon has received`() async throws {
    let board = try DaemonFixture()
    let receiver = try PseudoTerminal(permissions: 0o666)
    try board.configure(serialDevice: receiver.devnode)
    let device = receiver.sendBursts { _ in
      Array("$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n$GPRMC,1*00\r\n".utf8)
    }
    defer { device.cancel() }
    try await board.use { daemon in
      let window = try #require(TerminalWindow(columns: 80, rows: 24))
      try await ChildProcess.use(
        path: Program.path, arguments: ["watch", "--no-weather"],
        environment: board.environment.merging(["TERM": "xterm"]) { $1 }, window: window
      ) { program in
        _ = await program.pieces.wait { pieces in
          var screen = ScreenModel(columns: 80, rows: 24)
          for piece in pieces { screen.process(piece) }
          return screen.lines.contains {
            $0.hasPrefix("Received") && $0.contains(" used, ") && $0.contains(" with a wrong")
          }
        }
      }
      let timedOut = try await board.run("watch", "--no-weather", "--seconds", "2")
      #expect(timedOut.code == 75)
      #expect(timedOut.lines.contains { $0.hasPrefix("received ") && $0.contains(" lines: ") }, "\(timedOut.lines)")
      #expect(await daemon.end() == 0)
    }
  }
}

/// A receiver on a pseudo-terminal that sends a heading with each position and has no antenna.
enum HeadingReceiver {
  /// Returns the sentences of a second.
  @Sendable static func burst(_ second: Int) -> [UInt8] {
    let time = "1200\(10 + second % 50)"
    return [
      "GPTXT,01,01,02,ANTSTATUS=OPEN", "GPRMC,\(time),A,4530.000,N,00730.000,E,0.2,154.3,010326,,",
      "PASHR,\(time).00,224.19,T,-1.26,+0.83,+0.00,0.101,0.113,0.267,1,0",
    ].flatMap { body in
      let checksum = String(body.utf8.reduce(0, ^), radix: 16)
      return Array("$\(body)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n".utf8)
    }
  }

  /// Whether the output has a heading, the position after it, and a statement.
  static let isComplete: @Sendable ([String]) -> Bool = { lines in
    lines.contains { $0.hasPrefix(#"{"class":"MESSAGE""#) }
      && lines.firstIndex { $0.hasPrefix(#"{"class":"ATT""#) }.map { $0 + 1 < lines.count } == true
  }

  /// Checks the objects of the output.
  static func check(_ lines: [String], _ device: String) {
    let heading = lines.firstIndex {
      $0.hasPrefix(#"{"class":"ATT","device":"\#(device)","time":"2026-03-01T12:00:"#)
        && $0.hasSuffix(#","heading":224.19,"roll":-1.26,"pitch":0.83}"#)
    }
    #expect(heading != nil, "\(lines)")
    #expect(lines.dropFirst((heading ?? 0) + 1).contains { $0.hasPrefix(#"{"class":"TPV","device":"#) })
    let statement = #"{"class":"MESSAGE","device":"\#(device)","kind":"antenna","antenna":"open","#
    #expect(lines.contains { $0.hasPrefix(statement) }, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix(#"{"class":"ERROR""#) }, "\(lines)")
  }
}
