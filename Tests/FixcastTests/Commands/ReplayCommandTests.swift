// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The `fixcast replay` command, run as a child process.
@Suite struct ReplayCommandTests {
  private static let epochs = """
    $GPGGA,104706,5405.6081,N,01049.4791,E,1,08,1.1,40.8,M,43.6,M,,*7F\r
    $GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,2.0,1.1,1.7*3E\r
    $GPRMC,104706,A,5405.6081,N,01049.4791,E,0.24,18.02,240709,2.5,W,A*33\r
    $GPGGA,104707,,,,,0,03,,,M,,M,,*60\r
    $GPRMC,104707,V,,,,,,,240709,,,N*5E\r

    """

  /// Returns the TPV objects of an output without the key `device`, whose value differs.
  private func positions(_ lines: [String]) -> [String] {
    lines.filter { $0.contains(#""class":"TPV""#) }.map { line in
      line.replacing(#","replayed":true"#, with: "").split(separator: ",")
        .filter { !$0.hasPrefix(#""device":"#) }.joined(separator: ",")
    }
  }

  @Test func `replay prints the same epochs as decode, including an epoch without a fix`() async throws {
    let file = try ScratchFile(Self.epochs.utf8)
    let decoded = positions(try await Program.run("decode", file.path).lines)
    let lines = try await Program.run("replay", "--speed", "max", "--json", file.path).lines
    #expect(lines.count { $0.contains(#""replayed":true"#) } == 2, "\(lines)")
    let replayed = positions(lines)
    try #require(decoded.count == 2)
    #expect(decoded[0].contains(#""magvar":-2.5"#) && decoded[0].contains(#""vdop":1.7"#))
    #expect(decoded[1].contains(#""mode":1"#) && !decoded[1].contains("lat"))
    #expect(replayed == decoded)
  }

  @Test func `replay prints the units of --units or the locale, and the time of TZ`() async throws {
    let file = try ScratchFile(Self.epochs.utf8)
    func fix(_ options: [String], _ environment: [String: String]) async throws -> String? {
      try await ChildProcess.run(
        path: Program.path, arguments: ["replay", "--speed", "max", file.path] + options,
        environment: environment
      ).lines.first { $0.contains("fix  ") }
    }
    let zone = "CET-1CEST,M3.5.0,M10.5.0/3"
    let nautical = try await fix(["--units", "nautical"], ["TZ": zone, "LC_ALL": "en_US"])
    #expect(nautical?.contains("2009-07-24 12:47:06 CEST") == true, "\(nautical ?? "")")
    #expect(nautical?.contains("   40.8 m    0.2 kn   18°") == true, "\(nautical ?? "")")
    let imperial = try await fix([], ["LC_ALL": "en_US"])
    #expect(imperial?.contains("2009-07-24 10:47:06Z") == true, "\(imperial ?? "")")
    #expect(imperial?.contains("    134 ft    0.3 mph   18°") == true, "\(imperial ?? "")")
    let wrong = try await Program.run("replay", file.path, "--units", "feet")
    #expect(wrong.code == 64 && wrong.lines.count == 1, "\(wrong.lines)")
  }

  @Test(arguments: [
    ["--weather-url", "http://", "/dev/null"], ["--weather-url", "https://", "/dev/null"],
    ["--weather-url", "http://127.0.0.1:1 x", "/dev/null"], ["-"],
  ])
  func `replay rejects a URL without a host and a log on standard input as usage errors`(arguments: [String])
    async throws
  {
    let (lines, code) = try await run(["replay"] + arguments)
    #expect(code == 64, "\(lines)")
  }

  @Test(arguments: ["/nowhere/at-all.log", "/tmp"])
  func `replay reports an unreadable log in one line`(file: String) async throws {
    let (lines, code) = try await run(["replay", file])
    #expect(code == 66)
    #expect(lines.count == 1 && lines.allSatisfy { $0.contains(file) }, "\(lines)")
  }

  @Test func `replay exits with 69 if the provider refuses connections`() async throws {
    let file = try ScratchFile(Self.epochs.utf8)
    let (lines, code) = try await run([
      "replay", "--speed", "max", "--weather-url", "http://127.0.0.1:1", file.path,
    ])
    #expect(code == 69, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("1 weather lookups started, 0 answered, 1 failed") })
    #expect(lines.last?.contains("no weather report from http://127.0.0.1:1") == true)
  }

  /// Returns the log of a boat at anchor: a fix each second, weather in the first three seconds.
  private static func boatLog(seconds: Int) -> String {
    func line(_ body: String) -> String {
      let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
      return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }
    var log = ""
    for second in 0..<seconds {
      let time = "10\(10 + second / 60)\(second % 60 < 10 ? "0" : "")\(second % 60)"
      log += line("GPRMC,\(time),A,5405.6081,N,01049.4791,E,0.24,18.02,240709,,,A")
      log += line("GPGGA,\(time),5405.6081,N,01049.4791,E,1,08,1.1,2.8,M,43.6,M,,")
      guard second < 3 else { continue }
      log += line(
        "WIMDA,29.8991,I,1.0125,B,17.9,C,,,48.8,,6.1,C,29.4,T,32.0,M,1.6,N,0.8,M")
      log += line("SDMTW,16.2,C") + line("SDMTW,39.1,C") + line("WIMWV,59.0,R,13.0,N,A")
    }
    return log
  }

  @Test func `replay prints instrument weather once per recorded minute, with its age`() async throws {
    let file = try ScratchFile(Self.boatLog(seconds: 130).utf8)
    let lines = try await Program.run("replay", "--speed", "max", "--json", file.path).lines
    let weather = lines.filter { $0.contains(#""class":"WEATHER""#) }
    try #require(weather.count == 3, "\(weather)")
    for (line, (time, age)) in zip(
      weather, [("10:10:00", 0), ("10:11:00", 58), ("10:12:00", 118)])
    {
      #expect(line.contains("\"time\":\"2009-07-24T\(time).000Z\""), "\(line)")
      #expect(line.contains(#""kind":"sensor","provider":"instruments","replayed":true,"#))
      #expect(line.contains("\"age\":\(age),"), "\(line)")
      #expect(line.contains(#""temperature":17.9,"dewPoint":6.1,"humidity":48.8,"#), "\(line)")
      #expect(line.contains(#""windSpeed":0.82,"windDirection":29.4,"waterTemperature":16.2"#))
      #expect(line.contains("\"device\":\"\(file.path.split(separator: "/").last ?? "")\""))
    }
  }

  @Test func `replay prints no weather for a recording without instruments`() async throws {
    let file = try ScratchFile(Self.epochs.utf8)
    let lines = try await Program.run("replay", "--speed", "max", "--json", file.path).lines
    #expect(!lines.contains { $0.contains("WEATHER") })
  }

  private func run(_ arguments: [String]) async throws -> (lines: [String], code: Int32) {
    try await ChildProcess.run(path: Program.path, arguments: arguments)
  }
}
