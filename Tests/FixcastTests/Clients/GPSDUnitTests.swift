// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Unmodified clients of gpsd in control groups like those that systemd makes for its units.
@Suite(
  "Clients of gpsd in systemd units", .serialized, .timeLimit(.minutes(2)),
  .enabled(if: access("/usr/bin/gpspipe", X_OK) == 0, "needs gpspipe: make test-deps"),
  .enabled(if: UnitGroups.areRequired, "needs root and the permission to mount cgroup2"))
struct GPSDUnitTests {
  private static let user: UInt32 = 65_534
  private static let allowed = "allowed.service"
  private static let other = "other.service"

  @Test func `of two units of one user, only the unit that the policy allows gets the place`() async throws {
    try #require(UnitGroups.areMountable)
    try await UnitGroups.use([Self.allowed, Self.other]) { try await readInUnits() }
  }

  private func readInUnits() async throws {
    let board = try ClientFixture()
    try board.board.folder.write("root/etc/fixcast/policy.d/10-units.conf", "allow unit=\(Self.allowed)\n")
    try await board.use(wrapper: UnitGroups.wrapper) { _ in
      let port = board.port
      // Both clients run at the same time, so that neither gets the answer to the other.
      async let allowed = Self.read(40, in: Self.allowed, port: port)
      async let other = Self.read(7, in: Self.other, port: port)
      let (allowedLines, otherLines) = try await (allowed, other)

      let client = GPSDClient.gpspipeJSON
      let places = client.places(in: allowedLines.joined(separator: "\n"))
      #expect(!places.isEmpty, "\(allowedLines)")
      for place in places { #expect(ClientOutput.isExpected(place), "\(place)") }
      #expect(!allowedLines.contains { $0.contains(#""class":"ERROR""#) }, "\(allowedLines)")

      let errors = otherLines.filter { $0.contains(#""class":"ERROR""#) }
      #expect(errors.count == 1, "\(otherLines)")
      let command = "fixcast auth allow uid=\(Self.user) unit=\(Self.other)"
      #expect(errors.allSatisfy { $0.contains(command) }, "\(errors)")
      let reports = otherLines.filter { $0.contains(#""class":"TPV""#) }
      #expect(reports.count >= 2, "\(otherLines)")
      #expect(reports.allSatisfy { $0.contains(#""mode":1"#) }, "\(reports)")
      #expect(!otherLines.contains { $0.contains(#""lat""#) || $0.contains(#""lon""#) })
    }
  }

  /// Returns the first lines that `gpspipe` prints in a unit.
  private static func read(_ count: Int, in unit: String, port: UInt16) async throws -> [String] {
    let gpspipe = ["/usr/bin/gpspipe", "-w", "-n", "\(count)", "127.0.0.1:\(port)"]
    let words = UnitGroups.wrapper(in: unit) + ClientFixture.command(gpspipe, as: user)
    let result = try await ChildProcess.run(path: words[0], arguments: Array(words.dropFirst()))
    #expect(result.code == 0, "\(result.lines)")
    return result.lines
  }
}
