// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Receivers
import SystemSupport
import Testing

/// The `fixcast locate` command, run as a child process.
@Suite(.timeLimit(.minutes(5))) struct LocateCommandTests {
  @Test func `locate prints the first position, as text and as a JSON object`() async throws {
    let (lines, code) = try await Program.run("locate", "--source", "simulated")
    #expect(code == 0)
    // A progress line may precede the position.
    #expect(lines.contains { $0.hasPrefix("position  51.51") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("source") && $0.hasSuffix("(simulated)") })
    let json = try await Program.run("locate", "--source", "simulated", "--json")
    #expect(json.lines.count == 1)
    #expect(json.lines.first?.hasPrefix(#"{"class":"TPV","device":"/dev/pts/"#) == true)
    #expect(json.lines.first?.contains(#""age":"#) == true)
  }

  @Test func `locate reports no data and no fix as different errors`() async throws {
    let terminal = try PseudoTerminal(permissions: 0o666)
    let source = "serial:\(terminal.devnode)"
    let noData = try await Program.run("locate", "--source", source, "--timeout", "1")
    #expect(noData.code == 75)
    #expect(noData.lines.last?.contains("no data in 1 s") == true, "\(noData.lines)")
    let sentence = Array("$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n".utf8)
    let noFix = try await ReceiverProcess.use(sentence) {
      try await Program.run("locate", "--source", "serial:\($0)", "--timeout", "5")
    }
    #expect(noFix.code == 75)
    #expect(noFix.lines.last?.contains("no fix in ") == true, "\(noFix.lines)")
  }

  @Test func `locate reports data without a valid sentence`() async throws {
    try await ReceiverProcess.use([0xFF, 0x80, 0x00, 0x41], pauseSeconds: 0.1) { devnode in
      let (lines, code) = try await Program.run("locate", "--source", "serial:\(devnode)", "--timeout", "5")
      #expect(code == 75)
      #expect(
        lines.last?.contains(" s of data that is neither NMEA nor text, baud rates tried: 38400")
          == true, "\(lines)")
      #expect(lines.last?.contains("as in: fixcast locate \(devnode)@250000, or") == true, "\(lines)")
    }
  }

  @Test func `locate reads a receiver at a baud rate that it does not try by itself`() async throws {
    let terminal = try PseudoTerminal(permissions: 0o666)
    let sentence = Array("$GPRMC,120000,A,4530.000,N,00730.000,E,0.2,154.3,010326,,*1F\r\n".utf8)
    let device = terminal.sendBursts { _ in sentence }
    let (lines, code) = try await Program.run(
      "locate", "\(terminal.devnode)@250000", "--timeout", "60")
    device.cancel()
    await device.value
    #expect(code == 0 && lines.contains { $0.hasPrefix("position  45.5") }, "\(lines)")
  }

  /// Runs locate on a receiver that repeats sentences; returns the lines and the exit code.
  private static func locate(
    _ burst: String, _ options: String..., timeoutSeconds: Int = 60
  ) async throws -> (lines: [String], code: Int32) {
    try await ReceiverProcess.use(Array(burst.utf8)) { devnode in
      try await ChildProcess.run(
        path: Program.path,
        arguments: ["locate", "--source", "serial:\(devnode)", "--timeout", "\(timeoutSeconds)"] + options)
    }
  }

  @Test(arguments: [
    (
      "$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n$GPGSV,1,1,00*79\r\n",
      "no satellites in view; check the antenna and its cable"
    ),
    (
      "$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n$GPGSV,1,1,02,01,40,083,,02,17,308,*7A\r\n",
      "2 satellites in view, none with a signal; place the antenna under open sky, or check it"
    ),
    (
      "$GPRMC,120000,V,,,,,,,211126,,,N*57\r\n$GPTXT,01,01,02,ANTSTATUS=SHORT*6D\r\n",
      "the receiver reports a short circuit of its antenna; disconnect the antenna"
    ),
    (
      "$GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S*26\r\n",
      "right checksums and refused content; the first: GPRMC field 1: not a time of day"
    ),
    (
      "$GPRMC,120000,A,4530.000,N,00730.000,E,0.2,154.3,010326,,\r\n",
      "no line has a checksum"
    ),
  ])
  func `locate names the cause in its first answer`(burst: String, cause: String) async throws {
    let (lines, code) = try await Self.locate(burst, timeoutSeconds: 5)
    #expect(code == 75)
    #expect(lines.last?.contains(cause) == true, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("received ") && $0.contains(" lines: ") }, "\(lines)")
  }

  @Test func `locate prints a position at exactly 0° N, 0° E, and warns of it`() async throws {
    let (lines, code) = try await Self.locate(
      "$GPRMC,120000,A,0000.0000,S,00000.0000,W,0.0,0.0,010326,,,A*7A\r\n")
    #expect(code == 0 && lines.contains { $0.hasPrefix("position   0.0") }, "\(lines)")
    #expect(
      lines.contains { $0.hasPrefix("fixcast: the position is exactly 0° N, 0° E") }, "\(lines)")
  }

  @Test func `locate accepts sentences without a checksum from a named device if it is told to`() async throws {
    let burst = "$GPRMC,120000,A,4530.000,N,00730.000,E,0.2,154.3,010326,,\r\n"
    let (lines, code) = try await Self.locate(burst, "--allow-missing-checksum")
    #expect(code == 0 && lines.contains { $0.hasPrefix("position  45.5") }, "\(lines)")
    for source in ["auto", "gpsd", "simulated"] {
      let refused = try await Program.run(
        "locate", "--source", source, "--allow-missing-checksum")
      #expect(refused.code == 64)
      #expect(
        refused.lines.first?.contains("needs the device of the receiver") == true,
        "\(refused.lines)")
    }
  }

  @Test func `locate keeps an old date that no week rollover brings near the date of the system clock`() async throws {
    // 1024 weeks later, the date is two years after that of the system clock.
    let days = SystemClock.utcNow().date.adding(days: 2 * 365 - WeekRollover.cycleDays)
    let (year, month, day) = days.civil
    func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let date = [day, month, year % 100].map { twoDigits($0) }.joined()
    let (lines, code) = try await Self.locate(
      "$GPRMC,120000,A,4530.000,N,00730.000,E,0.2,154.3,\(date),,\r\n",
      "--allow-missing-checksum", "--json")
    #expect(code == 0)
    let time = "\(year)-\(twoDigits(month))-\(twoDigits(day))T12:00:00.000Z"
    #expect(lines.contains { $0.contains("\"time\":\"\(time)\"") }, "\(lines)")
  }

  @Test func `locate names the program that holds a port and the command that stops the program`() async throws {
    let terminal = try PseudoTerminal(permissions: 0o666)
    let script = "exec 3< \(terminal.devnode); echo $$; read line < /dev/ptmx"
    try await ChildProcess.use(path: "/bin/sh", arguments: ["-c", script]) { holder in
      let processID = await holder.lines.wait(for: 1)[0]
      let result = try await Program.run(
        "locate", "--source", "serial:\(terminal.devnode)", "--timeout", "5")
      #expect(result.code == 69)
      #expect(
        result.lines.last?.contains("sh (pid \(processID)) holds it") == true, "\(result.lines)")
      #expect(result.lines.last?.contains("sudo kill \(processID)") == true, "\(result.lines)")
    }
  }

  @Test(
    arguments: [
      ("foo", 64, "not a source; try auto"),
      ("serial:/dev/nowhere", 69, "/dev/nowhere: open: No such file or directory"),
      ("replay:/nowhere.log", 66, "/nowhere.log"),
      ("replay:/", 66, "directory"),
      ("replay:/etc/passwd", 65, "nothing decoded: "),
      ("serial:/dev/null", 69, "not a serial device"),
    ] as [(String, Int32, String)])
  func `locate rejects an invalid or missing source with a hint`(source: String, code: Int32, text: String) async throws
  {
    let result = try await Program.run("locate", "--source", source, "--timeout", "5")
    #expect(result.code == code)
    #expect(result.lines.contains { $0.contains(text) }, "\(result.lines)")
    guard source.hasPrefix("replay:") else { return }
    let watched = try await Program.run("watch", "--no-weather", "--source", source)
    #expect(watched.code == code)
    #expect(watched.lines.contains { $0.contains(text) }, "\(watched.lines)")
  }

  @Test func `locate exits with 69 if gpsd is not running or another program uses its port`()
    async throws
  {
    let port = try ReservedPort()
    defer { port.release() }
    let absent = try await Program.run("locate", "--source", "gpsd:127.0.0.1:\(port.number)")
    #expect(absent.code == 69)
    #expect(
      absent.lines.last?.hasPrefix("fixcast: gpsd:127.0.0.1:\(port.number): connection refused")
        == true,
      "\(absent.lines)")
    #expect(absent.lines.last?.contains("systemctl start gpsd") == true)
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting = "SSH-2.0-OpenSSH_9.2p1"
    let sshServer = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { sshServer.stop() }
    let other = try await Program.run("locate", "--source", "gpsd:127.0.0.1:\(sshServer.port)")
    #expect(other.code == 69)
    #expect(
      other.lines.last?.contains(#"not a gpsd server: it sent "SSH-2.0-"#) == true, "\(other.lines)"
    )
  }

  @Test func `locate reports an unresponsive gpsd and a missing position differently`()
    async throws
  {
    var automaticReplies = ScriptedGPSD.AutomaticReplies()
    automaticReplies.greeting = nil
    let silentServer = try ScriptedGPSD(automaticReplies: automaticReplies)
    defer { silentServer.stop() }
    let unanswered = try await Program.run(
      "locate", "--source", "gpsd:127.0.0.1:\(silentServer.port)", "--timeout", "1")
    #expect(unanswered.code == 69)
    #expect(unanswered.lines.last?.contains("no answer in 1 s") == true, "\(unanswered.lines)")
    let emptyServer = try ScriptedGPSD()
    defer { emptyServer.stop() }
    let empty = try await Program.run(
      "locate", "--source", "gpsd:127.0.0.1:\(emptyServer.port)", "--timeout", "5")
    #expect(empty.code == 75)
    #expect(
      empty.lines.last?.hasSuffix("see its output: gpspipe -w 127.0.0.1:\(emptyServer.port)")
        == true,
      "\(empty.lines)")
  }
}
