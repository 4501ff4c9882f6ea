// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Testing

/// A board in a network namespace with an empty state directory, and weather providers on its internet.
final class WeatherFixture {
  let network: NetworkNamespaceFixture
  let folder: ScratchFolder
  /// The environment of the programs on the board.
  var environment: [String: String]
  private var servers: [FakeHTTPServer] = []

  init(connected: Bool = true, environment: [String: String] = [:]) throws {
    network = NetworkNamespaceFixture(connected: connected)
    folder = try ScratchFolder()
    self.environment = environment
    self.environment["FIXCAST_STATE_DIRECTORY"] = folder.path
  }

  deinit { for server in servers { server.stop() } }

  /// Starts a provider, which runs until it is stopped or the fixture is released.
  @discardableResult
  func serve(
    _ body: String = WeatherCommandTests.reply(), port: UInt16 = 80, status: String = "200 OK"
  ) throws -> FakeHTTPServer {
    let server = try FakeHTTPServer(in: network.isp, port: port, status: status, body: body)
    servers.append(server)
    return server
  }

  /// Runs the program on the board and waits until it exits.
  func run(_ arguments: [String], hoursAhead: Int = 0) async throws -> (lines: [String], code: Int32) {
    try await network.run(arguments, environment: environment, hoursAhead: hoursAhead)
  }
}
