// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// The `fixcast simulate` command, run as a child process.
@Suite(.timeLimit(.minutes(5))) struct SimulateCommandTests {
  /// Runs the simulator for the duration of the body, which gets the process and the device node.
  private static func simulate<Value>(
    _ arguments: [String], _ body: (ChildProcess, String) async throws -> Value
  ) async throws -> Value {
    try await ChildProcess.use(path: Program.path, arguments: ["simulate"] + arguments) {
      let devnode = try #require(await $0.lines.wait(for: 1).first)
      return try await body($0, devnode)
    }
  }

  /// Passes the body a path in a temporary directory, which is removed afterwards.
  private static func withScratchPath(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fixcast-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "gps").path)
  }

  private static func target(of link: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: link)
  }

  @Test func `simulate prints only the pseudo-terminal's device node on standard output`() async throws {
    let lines = try await ChildProcess.use(
      path: "/bin/sh",
      arguments: ["-c", "exec \"$0\" simulate --duration 0.3 2>/dev/null", Program.path]
    ) {
      #expect(await $0.wait() == 0)
      return $0.lines.events
    }
    #expect(lines.count == 1)
    #expect(lines.first?.contains(#/^/dev/pts/\d+$/#) == true, "\(lines)")
  }

  @Test func `simulate hangs up the terminal when it stops, so that a reader stops too`() async throws {
    try await Self.simulate(["--hz", "5"]) { process, devnode in
      try await ChildProcess.use(path: "/bin/cat", arguments: [devnode]) { reader in
        await reader.lines.wait(for: 1)
        #expect(await process.end() == 0)
        // Without the hang-up, the suite's time limit fails the test.
        _ = await reader.wait()
      }
    }
  }

  @Test func `simulate stops after --duration and prints a summary`() async throws {
    let (lines, code) = try await Program.run(
      "simulate", "--hz", "5", "--duration", "1", "--start", "2026-11-21T12:00:00Z")
    #expect(code == 0)
    let summary = try #require(lines.last)
    let counts = try #require(
      summary.firstMatch(of: #/^sent (\d+) epochs, \d+ bytes; (\d+) epochs skipped/#), "\(lines)")
    let (sent, skipped) = (try #require(Int(counts.1)), try #require(Int(counts.2)))
    #expect(sent > 0)
    #expect(sent + skipped == 5, "\(summary)")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `simulate exits with 0 and a summary on SIGTERM and SIGINT`(signal: Int32) async throws {
    try await Self.simulate(["--hz", "5"]) { process, _ in
      process.send(signal)
      let status = await process.wait()
      #expect(status == 0, "wait status \(status)")
      #expect(process.lines.events.last?.hasPrefix("sent ") == true, "\(process.lines.events)")
    }
  }

  @Test func `simulate --link creates a symbolic link and removes it when the program exits`() async throws {
    try await Self.withScratchPath { path in
      try await Self.simulate(["--link", path]) { process, devnode in
        #expect(Self.target(of: path) == devnode)
        await process.end()
      }
      #expect(Self.target(of: path) == nil)
    }
  }

  @Test func `simulate --link replaces a link that an earlier run left behind`() async throws {
    try await Self.withScratchPath { path in
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "/dev/pts/987654")
      try await Self.simulate(["--link", path]) { _, devnode in
        #expect(Self.target(of: path) == devnode)
      }
      #expect(Self.target(of: path) == nil)
    }
  }

  @Test func `simulate --link rejects and keeps an existing link to anything but a terminal`() async throws {
    try await Self.withScratchPath { path in
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
      let (lines, code) = try await Program.run("simulate", "--link", path, "--duration", "0")
      #expect(code == 64)
      #expect(lines.count == 1 && lines[0].contains(path), "\(lines)")
      #expect(Self.target(of: path) == "/dev/null")
    }
  }

  @Test func `simulate --link does not remove a link that another program has replaced`() async throws {
    try await Self.withScratchPath { path in
      try await Self.simulate(["--link", path]) { process, _ in
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
          atPath: path, withDestinationPath: "/dev/null")
        await process.end()
      }
      #expect(Self.target(of: path) == "/dev/null")
    }
  }

  @Test func `simulate --link rejects and keeps an existing file`() async throws {
    try await Self.withScratchPath { path in
      try Data("kept".utf8).write(to: URL(filePath: path))
      let (lines, code) = try await Program.run("simulate", "--link", path, "--duration", "0")
      #expect(code == 64)
      #expect(lines.count == 1 && lines[0].contains(path), "\(lines)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept")
    }
  }

  // MARK: - Output

  /// Runs the simulator with a reader on its terminal; the body gets the reader's lines.
  private static func read<Value>(
    _ arguments: [String], _ body: (EventRecorder<String>) async throws -> Value
  ) async throws -> Value {
    try await simulate(arguments) { _, devnode in
      try await ChildProcess.use(path: "/bin/cat", arguments: [devnode]) { reader in
        try await body(reader.lines)
      }
    }
  }

  /// Returns the time in an RMC sentence, which begins an epoch; `nil` for other sentences.
  private static func time(in line: String) -> String? {
    guard line.contains("RMC") else { return nil }
    return line.firstMatch(of: #/^\$..RMC,([\d.]+),/#).map { String($0.1) }
  }

  /// Returns the complete epochs of an output, by time.
  private static func epochs(in lines: [String]) -> [String: [String]] {
    // The lines before the first RMC sentence, and the last epoch, may be incomplete.
    let starts = lines.indices.filter { time(in: lines[$0]) != nil }
    var epochs: [String: [String]] = [:]
    for (start, end) in zip(starts, starts.dropFirst()) {
      if let time = time(in: lines[start]) { epochs[time] = Array(lines[start..<end]) }
    }
    return epochs
  }

  @Test func `simulate's output is the same for the same start and seed, and differs for another seed`() async throws {
    func arguments(seed: Int) -> [String] {
      ["--hz", "10", "--start", "2026-11-21T12:00:00Z", "--seed", "\(seed)"]
    }
    let epochs = try await Self.read(arguments(seed: 7)) { first in
      try await Self.read(arguments(seed: 7)) { second in
        try await Self.read(arguments(seed: 8)) { other in
          // Readers miss the first epochs, so the comparison starts at an epoch that all have read.
          var from = ""
          for lines in [first, second, other] {
            let read = await lines.wait { !Self.epochs(in: $0).isEmpty }
            from = max(from, try #require(Self.epochs(in: read).keys.min()))
          }
          let begin = from
          var all: [[String: [String]]] = []
          for lines in [first, second, other] {
            let read = await lines.wait { lines in
              Self.epochs(in: lines).keys.count { $0 >= begin } >= 8
            }
            all.append(Self.epochs(in: read))
          }
          return all
        }
      }
    }
    let same = Set(epochs[0].keys).intersection(epochs[1].keys)
    #expect(same.count >= 3, "\(epochs[0].keys.sorted()), \(epochs[1].keys.sorted())")
    for time in same { #expect(epochs[0][time] == epochs[1][time]) }
    let compared = Set(epochs[0].keys).intersection(epochs[2].keys)
    #expect(compared.count >= 3, "\(epochs[0].keys.sorted()), \(epochs[2].keys.sorted())")
    for time in compared { #expect(epochs[0][time] != epochs[2][time]) }
    // All lines are complete sentences with the line ending that NMEA requires.
    #expect(epochs[0].values.joined().allSatisfy { $0.hasPrefix("$") && $0.hasSuffix("\r") })
  }

  @Test func `simulated epochs continue from --start through midnight`() async throws {
    let lines = try await Self.read(["--hz", "10", "--start", "2026-11-21T23:59:58Z"]) {
      await $0.wait { lines in lines.contains { Self.time(in: $0)?.hasPrefix("000") == true } }
    }
    let dates = lines.filter { Self.time(in: $0) != nil }
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      .compactMap { $0.count > 9 ? "\($0[9]) \($0[1].prefix(2))" : nil }
    // A late reader may have missed the old day.
    #expect(dates.allSatisfy { $0 == "211126 23" || $0 == "221126 00" }, "\(dates)")
    #expect(dates.last == "221126 00")
  }

  // MARK: - gpsd

  private struct Report: Decodable {
    var `class`: String
    var mode: Int?
    var lat: Double?
    var lon: Double?
  }

  private static func fixes(in lines: [String]) -> [Report] {
    lines.compactMap { try? JSONDecoder().decode(Report.self, from: Data($0.utf8)) }
      .filter { $0.class == "TPV" && $0.mode == 3 && $0.lat != nil && $0.lon != nil }
  }

  @Test(.enabled(if: GPSDaemon.isInstalled, "needs gpsd and gpsd-clients: make deps"))
  func `gpsd decodes the simulator's built-in route, and may write to the simulated receiver`() async throws {
    try await Self.simulate(["--hz", "5"]) { process, devnode in
      // Without the option -b, gpsd writes probes for other protocols to the terminal. The simulator
      // discards them.
      let lines = try await GPSDaemon.use(devnode: devnode) { client in
        await client.lines.wait { Self.fixes(in: $0).count >= 10 }
      }
      let fixes = Self.fixes(in: lines)
      #expect(fixes.count >= 10)
      for fix in fixes {
        let (latitude, longitude) = (try #require(fix.lat), try #require(fix.lon))
        #expect(abs(latitude - 51.513) < 0.02, "\(latitude)")
        #expect(abs(longitude + 0.159) < 0.02, "\(longitude)")
      }
      process.send(SIGTERM)
      #expect(await process.wait() == 0)
    }
  }
}
