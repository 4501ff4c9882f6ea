// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Unmodified clients of gpsd with the daemon's server for gpsd's protocol.
@Suite(
  "Clients of gpsd", .serialized, .timeLimit(.minutes(2)),
  .enabled(if: GPSDClient.areInstalled && GPSDaemon.isInstalled, "needs clients: make test-deps"))
struct GPSDClientTests {
  private static let otherUser: UInt32 = 65_534

  @Test(arguments: GPSDClient.allCases)
  func `a client of an allowed user shows the place`(client: GPSDClient) async throws {
    let board = try ClientFixture()
    try await board.use { _ in
      try await board.allow(userID: geteuid())
      try await board.use(client) { await $0.expectPlace() }
    }
  }

  @Test(arguments: ["gpsd", "tcp"])
  func `gpsd as a client, of gpsd's protocol or of NMEA, forwards the place to its own clients`(scheme: String)
    async throws
  {
    let board = try ClientFixture()
    let port = scheme == "gpsd" ? board.port : board.nmeaPort
    try await board.use { _ in
      try await board.allow(userID: geteuid())
      try await GPSDaemon.use(devnode: "\(scheme)://127.0.0.1:\(port)") {
        await ClientOutput(client: .gpspipeJSON, process: $0).expectPlace()
      }
    }
  }

  @Test(.needsRoot, arguments: [true, false])
  func `clients of a user without a decision show no place until the command in the error is run`(isFirstHalf: Bool)
    async throws
  {
    let board = try ClientFixture()
    // A user can have 8 clients of gpsd at a time.
    let half = GPSDClient.allCases.count / 2
    let clients =
      isFirstHalf ? GPSDClient.allCases.prefix(half) : GPSDClient.allCases.dropFirst(half)
    try await board.use { _ in
      try await use(clients, board) { outputs in
        try await board.use(.gpspipeJSON, as: Self.otherUser) { output in
          let lines = await output.process.lines.wait { lines in
            lines.contains { $0.contains(#""class":"ERROR""#) }
              && lines.count { $0.contains(#""class":"TPV""#) } >= 3
          }
          let errors = lines.filter { $0.contains(#""class":"ERROR""#) }
          #expect(errors.count == 1)
          #expect(errors.allSatisfy { $0.contains("fixcast auth allow uid=\(Self.otherUser)") }, "\(errors)")
          let reports = lines.filter { $0.contains(#""class":"TPV""#) }
          #expect(reports.allSatisfy { $0.contains(#""mode":1"#) }, "\(reports)")
        }
        for output in outputs {
          #expect(output.places.isEmpty, "\(output.client.rawValue) shows a place")
        }
        try await board.allow(userID: Self.otherUser)
        for output in outputs { await output.expectPlace() }
      }
    }
  }

  /// Runs several clients of the other user at the same time.
  private func use(
    _ clients: ArraySlice<GPSDClient>, _ board: ClientFixture,
    outputs: [ClientOutput] = [], _ body: ([ClientOutput]) async throws -> Void
  ) async throws {
    guard let first = clients.first else { return try await body(outputs) }
    try await board.use(first, as: Self.otherUser) { output in
      try await use(clients.dropFirst(), board, outputs: outputs + [output], body)
    }
  }
}
