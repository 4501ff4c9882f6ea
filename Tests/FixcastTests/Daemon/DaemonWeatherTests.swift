// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// The weather that the daemon's clients and sinks get before, during and after a network outage.
@Suite(.needsNetworkNamespaces, .timeLimit(.minutes(5)), .serialized)
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

  /// Starts a simulated receiver on the real clock, and runs `body` with a board that reads this
  /// receiver.
  private func withBoard(_ body: (borrowing DaemonFixture) async throws -> Void) async throws {
    try await ChildProcess.use(path: Program.path, arguments: ["simulate"]) {
      let board = try DaemonFixture()
      try Self.configure(board, device: try #require(await $0.lines.wait(for: 1).first))
      try await body(board)
    }
  }

  private static func configure(_ board: borrowing DaemonFixture, device: String) throws {
    try board.configure(
      weatherFrom: "http://203.0.113.10",
      DaemonFixture.source("type = \"serial\"\ndevice = \"\(device)\"")
        + board.sink("jsonlines", name: "all", file: "all.jsonl"))
  }

  /// Runs the daemon with its clock hours ahead until a client has received enough weather, and
  /// returns all that the client received.
  private func stream(
    _ network: NetworkNamespaceFixture, _ board: borrowing DaemonFixture, hoursAhead: Int = 0,
    user: UInt32 = 0,
    until isEnough: @escaping @Sendable ([Weather]) -> Bool
  ) async throws -> (weather: [Weather], text: String) {
    let url = "http://fixcast/v1/events"
    let curl = [
      "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "curl", "--silent", "--no-buffer",
      "--unix-socket", board.path + "/s", url,
    ]
    return try await network.use(
      ["run", "--config", board.configuration], environment: board.environment,
      hoursAhead: hoursAhead
    ) { daemon in
      await DaemonFixture.wait(for: "serving on", daemon)
      let lines = try await ChildProcess.use(path: "/usr/bin/setpriv", arguments: curl) { client in
        await client.lines.wait { isEnough(Self.weather($0)) }
      }
      // The wrapper that changes the clock does not forward signals to the daemon.
      kill(try #require(Self.process(serving: board.path + "/s")), SIGTERM)
      #expect(await daemon.wait() == 0)
      return (Self.weather(lines), lines.joined(separator: "\n"))
    }
  }

  /// Returns the process that serves a socket.
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

  @Test func `clients and sinks get fresh weather, and the stored forecast while there is no network`() async throws {
    let network = NetworkNamespaceFixture()
    try await withBoard { board in
      let server = try FakeHTTPServer(in: network.isp, body: WeatherCommandTests.reply())
      // The weather is fresh: either the report itself, or values interpolated to the current time
      // for a client that connects later.
      let online = try await stream(network, board) { reports in
        reports.contains { $0.stale == false } && reports.contains { $0.moon != nil }
      }.weather
      #expect(online.contains { $0.age.map { $0 < 3900 } ?? false }, "\(online)")
      #expect(server.requests.events.count == 1)
      server.stop()

      network.removeRoute()
      var ages: [Double] = []
      for hours in [2, 26] {
        let reports = try await stream(network, board, hoursAhead: hours) { reports in
          reports.contains { $0.kind == "interpolated" && $0.reason != nil }
        }.weather
        let stored = try #require(reports.first { $0.kind == "interpolated" })
        #expect(stored.stale == true && stored.moon != nil && stored.distance != nil)
        #expect(!reports.contains { $0.kind == "forecast" })
        ages.append(try #require(stored.age))
      }
      #expect(abs(ages[1] - ages[0] - 86_400) < 300, "\(ages)")
      // The sinks get the same weather as the client.
      #expect(
        Self.weather(try board.lines(of: "all.jsonl")).contains {
          $0.kind == "interpolated" && $0.stale == true
        })

      // After three days there is no report, since it may be wrong; sun and moon are computed.
      let none = try await stream(network, board, hoursAhead: 80) { reports in
        reports.contains { $0.reason != nil }
      }.weather
      #expect(none.allSatisfy { $0.kind == nil && $0.moon != nil })

      network.addRoute()
      let back = try FakeHTTPServer(in: network.isp, body: WeatherCommandTests.reply(hoursAhead: 84))
      defer { back.stop() }
      let again = try await stream(network, board, hoursAhead: 84) { reports in
        reports.contains { $0.stale == false }
      }.weather
      #expect(again.contains { $0.stale == false })
      #expect(back.requests.events.count == 1)
    }
  }

  @Test(.needsRoot)
  func `a client with reduced accuracy gets the weather only for the centre of the board's cell`() async throws {
    let network = NetworkNamespaceFixture()
    try await withBoard { board in
      let server = try FakeHTTPServer(in: network.isp, body: WeatherCommandTests.reply())
      defer { server.stop() }
      try board.folder.makeFolder("root")
      let allowed = try await board.run(
        "auth", "allow", "uid=65534", "--always", "--reduced", "--state-directory",
        board.path + "/state")
      #expect(allowed.code == 0, "\(allowed.lines)")
      let streamed = try await stream(network, board, user: 65_534) { reports in
        reports.contains { $0.kind == "forecast" }
      }
      for weather in streamed.weather {
        #expect(weather.issued == nil && weather.pressureTendency == nil && weather.reason == nil)
        #expect((weather.distance ?? 0).truncatingRemainder(dividingBy: 5000) == 0)
        #expect((weather.age ?? 0).truncatingRemainder(dividingBy: 900) == 0)
      }
      // All coordinates are those of the reduced location.
      for name in ["lat", "lon"] {
        let values = streamed.text.split(separator: "\"\(name)\":").dropFirst()
          .map { Double($0.prefix { $0 != "," && $0 != "}" }) }
        #expect(values.count >= 2 && Set(values).count == 1, "\(values)")
      }
      // One request is for the centre of the cell. The daemon's sinks may cause another request.
      #expect((1...2).contains(server.requests.events.count))
    }
  }
}
