// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// The `fixcast decode` command, run as a child process.
@Suite struct DecodeCommandTests {
  private static let epoch = """
    # Name: a receiver
    $GPGGA,104706,5405.6081,N,01049.4791,E,1,08,1.1,40.8,M,43.6,M,,*7F\r
    $GPRMC,104706,A,5405.6081,N,01049.4791,E,0.24,18.02,240709,,,A*4D\r

    """

  @Test func `decode prints an epoch as gpsd's TPV object without unknown fields`() async throws {
    let file = try ScratchFile(Self.epoch.utf8)
    let (lines, code) = try await Program.run("decode", file.path)
    #expect(code == 0)
    #expect(
      lines == [
        #"{"class":"TPV","device":"\#(file.path)","mode":3,"time":"2009-07-24T10:47:06.000Z","#
          + #""lat":54.093468333,"lon":10.824651667,"altHAE":84.4,"altMSL":40.8,"geoidSep":43.6,"#
          + #""speed":0.1235,"track":18.02,"eph":5.717,"sats":8,"hdop":1.1}"#
      ])
  }

  @Test func `decode prints a heading as gpsd's ATT object before the TPV of its epoch`() async throws {
    let file = try ScratchFile((Self.epoch + "$HEHDT,341.8,T*21\r\n").utf8)
    let (lines, code) = try await Program.run("decode", file.path)
    #expect(code == 0)
    #expect(
      lines.first == #"{"class":"ATT","device":"\#(file.path)","time":"2009-07-24T10:47:06.000Z","#
        + #""heading":341.8}"#)
    #expect(lines.dropFirst().first?.hasPrefix(#"{"class":"TPV""#) == true)
  }

  @Test(arguments: [["decode"], ["replay", "--speed", "max"]])
  func `decode and replay write a track`(_ command: [String]) async throws {
    let file = try ScratchFile(Self.epoch.utf8)
    func run(_ format: String) async throws -> [String] {
      let (lines, code) = try await ChildProcess.run(
        path: Program.path, arguments: command + ["--format", format, file.path])
      #expect(code == 0, "\(lines)")
      return lines
    }
    let gpx = try await run("gpx")
    #expect(gpx.first == #"<?xml version="1.0" encoding="UTF-8"?>"#)
    #expect(gpx.contains("</trkseg></trk></gpx>"))
    #expect(
      gpx.contains {
        $0.hasPrefix(#"<trkpt lat="54.09346833" lon="10.82465167"><ele>40.80</ele>"#)
      }, "\(gpx)")
    let csv = try await run("csv")
    #expect(csv.first?.hasPrefix("time,lat,lon,altMSL,") == true)
    #expect(
      csv.contains { $0.hasPrefix("2009-07-24T10:47:06Z,54.09346833,10.82465167,40.80,84.40,") },
      "\(csv)")
    let geoJSON = try await run("geojson")
    #expect(geoJSON.contains { $0.contains(#""type":"Point","coordinates":[10.82465167,54."#) })
    let json = try await run("jsonlines")
    #expect(json.contains { $0.hasPrefix(#"{"class":"TPV""#) })
  }

  @Test func `decode rejects an unknown format, and replay rejects two formats`() async throws {
    let unknown = try await Program.run("decode", "--format", "kml", "/dev/null")
    #expect(unknown.code == 64 && unknown.lines.count == 1, "\(unknown.lines)")
    let two = try await Program.run("replay", "--json", "--format", "gpx", "/dev/null")
    #expect(two.code == 64)
    #expect(two.lines.first?.contains("--json cannot be combined with --format gpx") == true)
  }

  @Test func `decode dates the epochs before a log's first date, whether the log is a file or a pipe`() async throws {
    let file = try ScratchFile(
      """
      $GPGGA,104705,5405.6081,N,01049.4791,E,1,08,1.1,40.8,M,43.6,M,,*7C
      \(Self.epoch)
      """.utf8)
    for command in ["decode \(file.path)", "decode - <\(file.path)", "decode"] {
      let pipe = command == "decode" ? "cat \(file.path) | " : ""
      let (lines, code) = try await Self.shell("\(pipe)\(Program.path) \(command)")
      #expect(code == 0)
      #expect(
        lines.map { $0.contains(#""time":"2009-07-24T10:47:0"#) } == [true, true], "\(lines)")
    }
  }

  @Test func `decode omits the time of an epoch without time, and prints mode 1 without a fix`() async throws {
    let log = try ScratchFile(
      """
      $GPRMC,,V,,,,,,,,,,N*53
      $GPGGA,,,,,,0,00,99.99,,,,,,*48
      $GPRMC,,V,,,,,,,,,,N*53
      $GPGGA,,5405.6081,N,01049.4791,E,1,08,1.1,40.8,M,43.6,M,,*7B
      $GPGGA,104705,5405.6081,N,01049.4791,E,1,08,1.1,40.8,M,43.6,M,,*7C

      """.utf8)
    let (lines, code) = try await Program.run("decode", log.path)
    #expect(code == 0)
    #expect(!lines.contains { $0.contains(#""time""#) }, "\(lines)")
    #expect(lines.count { $0.contains(#""mode":3,"lat":54.093468333"#) } == 1, "\(lines)")
    #expect(lines.count { $0.contains(#""mode":1"#) } == 2, "\(lines)")
  }

  private static func shell(_ script: String) async throws -> ([String], Int32) {
    try await ChildProcess.run(path: "/bin/sh", arguments: ["-c", script])
  }

  @Test(
    arguments: [
      (["decode", "/nowhere/at-all.log"], 66, "/nowhere/at-all.log: No such file or directory"),
      (["decode", "/tmp"], 66, "/tmp: Is a directory"),
      // Control characters in arguments are made visible in errors.
      (["decode", "/nowhere/\u{1B}]0;x\u{07}"], 66, "/nowhere/␛]0;x␇: No such file"),
      (["decode", "/dev/null"], 65, "it is empty"),
      (
        ["decode", "--nonsense"], 64,
        "fixcast: unknown option '--nonsense'; see: fixcast decode --help"
      ),
      (["replay", "/nowhere/at-all.log", "--speed", "max"], 66, "No such file or directory"),
      (["replay", "/dev/null", "--speed", "sideways"], 64, "--speed takes a number"),
      (["simulate", "--hz", "99"], 64, "25"),
      (["simulate", "--baud", "4800", "--hz", "25"], 64, "bytes"),
      (["simulate", "--route", "/nowhere.gpx"], 66, "/nowhere.gpx"),
      (["demo", "--seconds", "1"], 64, "--seconds takes 5"),
    ] as [([String], Int32, String)])
  func `decode, replay, simulate and demo report errors with a message and a sysexits code`(
    arguments: [String], code: Int32, text: String
  ) async throws {
    let result = try await ChildProcess.run(path: Program.path, arguments: arguments)
    #expect(result.code == code)
    #expect(result.lines.contains { $0.contains(text) }, "\(result.lines)")
  }

  @Test func `decode rejects binary data with a hint to use gpsdecode`() async throws {
    let file = try ScratchFile((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37 >> 3) })
    let (lines, code) = try await Program.run("decode", file.path)
    #expect(code == 65)
    #expect(lines.count == 1 && lines[0].contains("gpsdecode"), "\(lines)")
  }

  @Test func `decode rejects text without NMEA and invalid lines with different reasons`() async throws {
    for text in [
      "hello\nworld\n", "\u{43F}\u{440}\u{438}\u{432}\u{435}\u{442},\t\u{43C}\u{438}\u{440}\n",
      "# only a remark\n",
    ] {
      let file = try ScratchFile(text.utf8)
      let (lines, code) = try await Program.run("decode", file.path)
      #expect(code == 65)
      #expect(lines.count == 1 && lines[0].hasSuffix("$; give a recorded log"), "\(lines)")
    }
    let refused = try ScratchFile("much text around it\n$GPGGA,1*00\nand more\n".utf8)
    let (lines, _) = try await Program.run("decode", refused.path)
    #expect(
      lines.count == 1 && lines[0].contains("1 line: 0 used, 1 with a wrong checksum"), "\(lines)")
  }

  private static func sentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.utf8.count < 2 ? "0" : "")\(sum)\r\n"
  }

  @Test(arguments: [
    (
      "GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S",
      "1 refused (the first: GPRMC field 1: not a time of day); list the refused lines: "
        + "fixcast decode -v"
    ),
    (
      "GPGLL,4530.00,N,00730.00,E ,120000.00,A,A",
      "1 refused (the first: GPGLL field 4: unexpected letter)"
    ),
    ("GPXTE,A,A,0.67,L,N", "0 used, 1 of no interest; a position needs GGA, RMC, GLL or GNS"),
  ])
  func `decode and replay exit 65 and name the cause if a log of valid checksums decodes to nothing`(
    body: String, cause: String
  ) async throws {
    let log = Self.sentence("GPTXT,01,01,02,x") + Self.sentence(body)
    let file = try ScratchFile((body.hasPrefix("GPXTE") ? Self.sentence(body) : log).utf8)
    for command in [["decode"], ["replay", "--speed", "max"]] {
      let (lines, code) = try await ChildProcess.run(
        path: Program.path, arguments: command + [file.path])
      #expect(code == 65, "\(command): \(lines)")
      #expect(lines.last?.contains("nothing decoded: ") == true, "\(lines)")
      #expect(lines.last?.contains(cause) == true, "\(lines)")
    }
  }

  @Test func `decode of a log without checksums names the option that accepts its lines`() async throws {
    let file = try ScratchFile("$GPRMC,120000,A,4530.000,N,00730.000,E,0.2,154.3,010326,,\r\n".utf8)
    let refused = try await Program.run("decode", file.path)
    #expect(refused.code == 65)
    #expect(
      refused.lines.last?.hasSuffix(
        "1 line: 0 used, 1 without a checksum; accept them: fixcast decode --allow-missing-checksum "
          + file.path) == true, "\(refused.lines)")
    let replayed = try await Program.run(
      "replay", "--speed", "max", "--json", "--allow-missing-checksum", file.path)
    #expect(replayed.code == 0, "\(replayed.lines)")
    #expect(replayed.lines.contains { $0.contains(#""lat":45.5"#) }, "\(replayed.lines)")
    let accepted = try await Program.run("decode", "--allow-missing-checksum", file.path)
    #expect(accepted.code == 0 && accepted.lines.count == 1, "\(accepted.lines)")
  }

  @Test func `decode names refused content of a log without checksums, and no command that was given`() async throws {
    let file = try ScratchFile("$GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S\r\n".utf8)
    let (lines, code) = try await Program.run(
      "decode", "-v", "--allow-missing-checksum", file.path)
    #expect(code == 65)
    #expect(
      lines.last?.hasSuffix("1 refused (the first: GPRMC field 1: not a time of day)") == true,
      "\(lines)")
  }

  @Test func `decode -v lists the first 20 refused lines, then the number of the others`() async throws {
    let refused = Self.sentence("GPRMC,.00,A,4530.000,N,00730.000,E,0.2,154.3,,,,A,S")
    let file = try ScratchFile((Self.epoch + String(repeating: refused, count: 25)).utf8)
    let (lines, code) = try await Program.run("decode", "-v", file.path)
    #expect(code == 0)
    let listed = lines.filter { $0.contains(#", GPRMC field 1: not a time of day ".00""#) }
    #expect(listed.count == 20 && listed.first?.hasPrefix("line 4, ") == true, "\(lines)")
    #expect(lines.contains("5 more errors"), "\(lines)")
    #expect(
      lines.last?.contains(
        "27 lines: 2 used, 25 refused (the first: GPRMC field 1: not a time of day); ") == true,
      "\(lines)")
  }

  @Test func `decode names a compressed or UTF-16 log, and the command that converts the log`() async throws {
    let sentence = "$GPGGA,120000,,,,,0,,,,,,,,*00\r\n"
    let gzip = try ScratchFile(
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0xC7, count: 80))
    let compressed = try await Program.run("decode", gzip.path)
    #expect(compressed.code == 65)
    #expect(
      compressed.lines.last?.hasSuffix(
        "it is compressed with gzip; decompress it: zcat < \(gzip.path) > log.nmea") == true,
      "\(compressed.lines)")
    let units = sentence.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    for (head, encoding) in [([0xFF, 0xFE], "UTF-16"), ([], "UTF-16LE")] as [([UInt8], String)] {
      let file = try ScratchFile(head + units)
      for command in ["decode", "replay"] {
        let (lines, code) = try await Program.run(command, file.path)
        #expect(code == 65)
        #expect(
          lines.last?.hasSuffix(
            "it is UTF-16 text; convert it: iconv -f \(encoding) -t UTF-8 \(file.path) > log.nmea")
            == true, "\(lines)")
      }
    }
  }

  @Test func `decode names the data bits of a log that was recorded from a line with parity`() async throws {
    let file = try ScratchFile(
      Self.epoch.utf8.dropFirst(19).map { $0.nonzeroBitCount & 1 == 1 ? $0 | 0x80 : $0 })
    let (lines, code) = try await Program.run("decode", file.path)
    #expect(code == 65)
    #expect(
      lines.last?.hasSuffix(
        "its bytes are 7E1 (7 data bits with even parity); convert it: tr '\\200-\\377' "
          + "'\\000-\\177' < \(file.path) > log.nmea") == true, "\(lines)")
    let (converted, _) = try await Self.shell(
      "tr '\\200-\\377' '\\000-\\177' < \(file.path) | \(Program.path) decode")
    #expect(converted.count == 1 && converted[0].contains(#""mode":3"#), "\(converted)")
  }

  @Test func `decode needs no more memory for a log that is many times as long`() async throws {
    let once = Array(Self.epoch.utf8)
    let small = try ScratchFile((0..<1_000).lazy.flatMap { _ in once })
    let large = try ScratchFile((0..<RandomInputs.count(800_000)).lazy.flatMap { _ in once })
    let script = """
      import os, subprocess, sys
      for name in sys.argv[2:]:
          child = subprocess.Popen([sys.argv[1], "decode", name], stdout=subprocess.DEVNULL)
          print(os.wait4(child.pid, 0)[2].ru_maxrss)
      """
    let peaks = try await ChildProcess.use(
      path: "/usr/bin/python3", arguments: ["-c", script, Program.path, small.path, large.path]
    ) {
      _ = await $0.wait()
      return $0.lines.events.compactMap { Int($0) }
    }
    try #require(peaks.count == 2)
    // The peak of the same run differs by up to 2 MiB, with the pages of the program that are in
    // memory. The log is more than twice as large as this margin.
    #expect(peaks[1] < peaks[0] + 4096, "KiB at the peak: \(peaks)")
  }
}
