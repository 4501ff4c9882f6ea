// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// What the daemon's clients and sinks are told of the weather on a board that has a network, has
/// none, and has one again.
@Suite(
  .enabled(if: NetworkNamespace.isPermitted, "network namespaces are not permitted here"),
  .timeLimit(.minutes(5)), .serialized)
struct DaemonWeatherTests {
  private struct Weather: Decodable {
    var `class`: String
    var lat: Double?
    var lon: Double?
    var kind: String?
    var age: Double?
    var distance: Double?
    var stale: Bool?
    var moon: String?
    var reason: String?
    var pressureTendency: Double?
    var issued: String?
  }

  private static func weather(_ lines: [String]) -> [Weather] {
    lines.compactMap { line in
      let json = line.hasPrefix("data: ") ? line.dropFirst(6) : line[...]
      return try? JSONDecoder().decode(Weather.self, from: Data(json.utf8))
    }.filter { $0.class == "WEATHER" }
  }

  /// Runs a receiver, whose clock nobody moves; the body gets the board that reads it.
  private func withBoard(_ body: (borrowing DaemonBoard) async throws -> Void) async throws {
    try await ChildProcess.use(path: Program.path, arguments: ["simulate", "--hz", "5"]) {
      let board = try DaemonBoard()
      try Self.configure(board, device: try #require(await $0.lines.wait(for: 1).first))
      try await body(board)
    }
  }

  private static func configure(_ board: borrowing DaemonBoard, device: String) throws {
    try board.folder.write(
      "config.toml",
      """
      [daemon]
      socket = "\(board.path)/s"
      state_directory = "\(board.path)/state"
      [weather.openmeteo]
      base_url = "http://203.0.113.10"
      [[source]]
      type = "serial"
      device = "\(device)"
      [[sink]]
      type = "jsonlines"
      name = "all"
      file = "\(board.path)/all.jsonl"

      """)
  }

  /// Runs the daemon on the lab's board, hours ahead of our time, until a client of a user has been
  /// told enough; gives all it was told.
  private func stream(
    _ lab: NetworkNamespaceFixture, _ board: borrowing DaemonBoard, hoursAhead: Int = 0,
    user: UInt32 = 0,
    until isEnough: @escaping @Sendable ([Weather]) -> Bool
  ) async throws -> (weather: [Weather], text: String) {
    let url = "http://fixcast/v1/events"
    let curl = [
      "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "curl", "--silent", "--no-buffer",
      "--unix-socket", board.path + "/s", url,
    ]
    return try await lab.use(
      ["run", "--config", board.configuration], environment: board.environment,
      hoursAhead: hoursAhead
    ) { daemon in
      await DaemonBoard.wait(for: "serving on", daemon)
      let lines = try await ChildProcess.use(path: "/usr/bin/setpriv", arguments: curl) { client in
        await client.lines.wait { isEnough(Self.weather($0)) }
      }
      // What moves the clocks stands between, and hands no signal on.
      kill(try #require(Self.process(serving: board.path + "/s")), SIGTERM)
      #expect(await daemon.wait() == 0)
      return (Self.weather(lines), lines.joined(separator: "\n"))
    }
  }

  /// Who serves on a socket.
  private static func process(serving path: String) -> pid_t? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    // struct ucred: process, user, group.
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard isConnected,
      getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0
    else { return nil }
    return credentials.0
  }

  @Test("in a van: each is told how the weather is known, offline with its age, and fresh again")
  func van() async throws {
    let lab = NetworkNamespaceFixture()
    try await withBoard { board in
      let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.answer())
      // Fresh, be it as it came or, to who listens later, reckoned on to now.
      let online = try await stream(lab, board) { told in
        told.contains { $0.stale == false } && told.contains { $0.moon != nil }
      }.weather
      #expect(online.contains { $0.age.map { $0 < 3900 } ?? false }, "\(online)")
      #expect(server.requests.events.count == 1)
      server.stop()

      lab.removeRoute()
      var ages: [Double] = []
      for hours in [2, 26] {
        let told = try await stream(lab, board, hoursAhead: hours) { told in
          told.contains { $0.kind == "interpolated" && $0.reason != nil }
        }.weather
        let stored = try #require(told.first { $0.kind == "interpolated" })
        #expect(stored.stale == true && stored.moon != nil && stored.distance != nil)
        #expect(!told.contains { $0.kind == "forecast" })
        ages.append(try #require(stored.age))
      }
      #expect(abs(ages[1] - ages[0] - 86_400) < 300, "\(ages)")
      // Sinks are told the same.
      #expect(
        Self.weather(try board.lines(of: "all.jsonl")).contains {
          $0.kind == "interpolated" && $0.stale == true
        })

      // Beyond three days nothing rather than what may be wrong; sun and moon are always known.
      let none = try await stream(lab, board, hoursAhead: 80) { told in
        told.contains { $0.reason != nil }
      }.weather
      #expect(none.allSatisfy { $0.kind == nil && $0.moon != nil })

      lab.addRoute()
      let back = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.answer(hoursAhead: 84))
      defer { back.stop() }
      let again = try await stream(lab, board, hoursAhead: 84) { told in
        told.contains { $0.stale == false }
      }.weather
      #expect(again.contains { $0.stale == false })
      #expect(back.requests.events.count == 1)
    }
  }

  /// The names in the first column of the table of plugins, such as `sink gpx`.
  private static func plugins(_ lines: some Collection<Substring>) -> [String] {
    lines.drop { !$0.hasPrefix("PLUGIN ") }.dropFirst().prefix { !$0.hasPrefix("```") }
      .filter { !$0.hasPrefix(" ") }
      .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
  }

  @Test("the README shows the plugins that status does, those of the daemon's own among them")
  func readme() async throws {
    let lab = NetworkNamespaceFixture(connected: false)
    let board = try DaemonBoard()
    try board.folder.write(
      "config.toml",
      "[daemon]\nsocket = \"\(board.path)/s\"\nstate_directory = \"\(board.path)/state\"\n"
        + DaemonBoard.source("type = \"simulated\"")
        + "[[sink]]\ntype = \"gpx\"\nfile = \"\(board.path)/a.gpx\"\n")
    let told = try await lab.use(
      ["run", "--config", board.configuration], environment: board.environment
    ) { daemon in
      await DaemonBoard.wait(for: "serving on", daemon)
      return try await board.run("status").lines.map { $0[...] }
    }
    let here = URL(filePath: #filePath)
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(Self.plugins(told).count == 6, "\(told)")
    #expect(Self.plugins(readme) == Self.plugins(told))
  }

  @Test(
    "whoever may know the cell alone is told the weather in its middle, and nothing finer",
    .enabled(if: geteuid() == 0, "needs root"))
  func reduced() async throws {
    let lab = NetworkNamespaceFixture()
    try await withBoard { board in
      let server = try HTTPStandIn(in: lab.isp, body: WeatherCommandTests.answer())
      defer { server.stop() }
      try board.folder.makeFolder("root")
      let allowed = try await board.run(
        "auth", "allow", "uid=65534", "--always", "--reduced", "--state-directory",
        board.path + "/state")
      #expect(allowed.code == 0, "\(allowed.lines)")
      let told = try await stream(lab, board, user: 65_534) { told in
        told.contains { $0.kind == "forecast" }
      }
      for weather in told.weather {
        #expect(weather.issued == nil && weather.pressureTendency == nil && weather.reason == nil)
        #expect((weather.distance ?? 0).truncatingRemainder(dividingBy: 5000) == 0)
        #expect((weather.age ?? 0).truncatingRemainder(dividingBy: 900) == 0)
      }
      // That of the location of reduced accuracy, and no other.
      for name in ["lat", "lon"] {
        let values = told.text.split(separator: "\"\(name)\":").dropFirst()
          .map { Double($0.prefix { $0 != "," && $0 != "}" }) }
        #expect(values.count >= 2 && Set(values).count == 1, "\(values)")
      }
      // Once for the middle of the cell, and once for the board's own sinks by now, or soon.
      #expect((1...2).contains(server.requests.events.count))
    }
  }
}
