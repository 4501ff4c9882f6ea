// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import ReceiverSimulator
import Receivers
import SystemSupport
import Testing

/// A daemon with a receiver that does not move, and with a server for clients of gpsd.
final class ClientFixture {
  /// The place that the receiver reports, without an error.
  static let latitudeDegrees = 54.09346
  static let longitudeDegrees = 10.82466

  let board: DaemonFixture
  private let reserved: ReservedPort
  private let reservedNMEA: ReservedPort
  private let receiver: SimulatedTerminal

  /// The port of the server on 127.0.0.1.
  var port: UInt16 { reserved.number }
  /// The port of the server for NMEA 0183 on 127.0.0.1.
  var nmeaPort: UInt16 { reservedNMEA.number }

  init() throws {
    board = try DaemonFixture()
    try board.folder.makeFolder("root")
    reserved = try ReservedPort()
    reservedNMEA = try ReservedPort()
    let place = try #require(Coordinate(latitudeDegrees: Self.latitudeDegrees, longitudeDegrees: Self.longitudeDegrees))
    let waypoint = SimulatedRoute.Waypoint(coordinate: place, altitudeMetersAboveSeaLevel: 12)
    var configuration = SimulatedReceiver.Configuration(start: SystemClock.utcNow())
    configuration.route = try #require(SimulatedRoute(waypoints: [waypoint]))
    configuration.speedMetersPerSecond = 0
    configuration.rangeErrorMeters = 0
    configuration.rateHertz = 5
    configuration.sentences = [.gga, .gsa, .gsv, .vtg, .rmc]
    // The line is paced like a serial line, because gps3 reads only the first object of each burst.
    receiver = try SimulatedTerminal(
      receiver: SimulatedReceiver(configuration),
      terminal: PseudoTerminal(permissions: 0o666), baud: 115_200)
    try board.configure(
      DaemonFixture.source("type = \"serial\"\ndevice = \"\(receiver.terminal.devnode)\"")
        + "[gpsd_server]\nlisten = [\"127.0.0.1:\(reserved.number)\"]\n"
        + "[nmea_server]\nenabled = true\nlisten = [\"127.0.0.1:\(reservedNMEA.number)\"]\n"
        + "socket = \"\(board.path)/nmea.sock\"\n")
  }

  /// Runs the receiver and the daemon for the duration of the body.
  ///
  /// `wrapper` is the beginning of a command line that runs the daemon.
  func use(wrapper: [String] = [], _ body: (ChildProcess) async throws -> Void) async throws {
    let running = Task { [receiver] in await receiver.run() }
    let result: Result<Void, any Error>
    do {
      try await board.use(wrapper: wrapper) { daemon in
        await DaemonFixture.wait(for: "gpsd server: listening on", daemon)
        try await body(daemon)
      }
      result = .success(())
    } catch { result = .failure(error) }
    running.cancel()
    await running.value
    reserved.release()
    reservedNMEA.release()
    try result.get()
  }

  /// Allows a user full accuracy.
  func allow(userID: UInt32) async throws {
    let answer = try await board.run(
      "auth", "allow", "uid=\(userID)", "--always", "--state-directory", board.path + "/state")
    try #require(answer.code == 0, "\(answer.lines)")
  }

  /// Returns the command line that runs a command as another user.
  static func command(_ words: [String], as userID: UInt32?) -> [String] {
    guard let userID else { return words }
    return ["/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(userID)", "--clear-groups"] + words
  }

  /// Starts a client of the server, as another user if one is given, runs a body, and ends the
  /// client.
  func use(_ client: GPSDClient, as userID: UInt32? = nil, _ body: (ClientOutput) async throws -> Void) async throws {
    let words = Self.command(client.command(port: port), as: userID)
    let window = client.needsTerminal ? TerminalWindow(columns: 130, rows: 45) : nil
    try await ChildProcess.use(
      path: words[0], arguments: Array(words.dropFirst()), environment: ["TERM": "ansi"],
      window: window
    ) { try await body(ClientOutput(client: client, process: $0)) }
  }
}
