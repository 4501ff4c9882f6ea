// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

/// Sources that do not reveal where this board is.
@Suite(.timeLimit(.minutes(3))) struct ForeignSourceTests {
  @Test func `a lock does not apply to the simulation, a recording and gpsd on another host`() async throws {
    let board = try AuthFixture(policy: "lock everyone\n")
    try board.write("drive.nmea", Self.recording)
    for source in ["simulated", "replay:\(board.root)/drive.nmea"] {
      let result = try await board.run(["locate", "--source", source, "--timeout", "20"])
      #expect(result.code == 0, "\(source): \(result.lines)")
    }
    // Nothing answers at this address, which is reserved for documentation.
    let other = try await board.run(["locate", "--source", "gpsd:192.0.2.1", "--timeout", "1"])
    #expect(other.code == 69 || other.code == 75, "\(other.lines)")
    let watched = try await board.run([
      "watch", "--source", "simulated", "--no-weather", "--json", "--seconds", "5",
    ])
    #expect(watched.code == 0, "\(watched.lines)")
    #expect(watched.lines.contains { $0.contains(#""lat":"#) }, "\(watched.lines)")
  }

  /// A recording of one position.
  private static var recording: String {
    [
      "GPRMC,120000,A,5119.000,N,00008.000,W,0.0,0.0,211126,,,A",
      "GPGGA,120000,5119.000,N,00008.000,W,1,08,1.0,12.0,M,45.0,M,,",
    ].map { body in
      let sum = body.utf8.reduce(0, ^)
      return "$\(body)*" + String(Int(sum) + 0x100, radix: 16).suffix(2).uppercased() + "\r\n"
    }.joined()
  }

  @Test
  func `a lock applies to a receiver of this board and to its gpsd, alone or beside the simulation`() async throws {
    let board = try AuthFixture(policy: "lock everyone\n")
    for sources in [
      [board.source], ["gpsd:localhost"], ["gpsd:127.0.0.1:9"], ["gpsd:[::1]"],
      ["simulated", board.source],
    ] {
      let options = sources.flatMap { ["--source", $0] }
      let result = try await board.run(["locate", "--timeout", "5"] + options)
      #expect(result.code == 77, "\(sources): \(result.lines)")
      #expect(result.lines.last?.contains("lock everyone") == true, "\(result.lines)")
    }
  }

  @Test(.needsOtherUser)
  func `a user who may not read the answers gets the simulation without the daemon`() async throws {
    let board = try AuthFixture()
    _ = try await board.auth("deny", "uid=12345")
    try #require(chmod(board.root, 0o755) == 0)
    let result = try await board.shell(
      ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"],
      "$F locate --source simulated")
    #expect(result.code == 0, "\(result.lines)")
  }
}
