// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Doctor

@Suite("Doctor findings about configuration, rules and decisions")
struct DoctorBoardTests {
  private static func findings(_ board: DoctorSnapshot.Board) -> [DoctorFinding] {
    var snapshot = DoctorSnapshot()
    snapshot.board = board
    let subjects = ["configuration", "policy", "switch", "daemon"]
    return Doctor.examine(snapshot).filter { subjects.contains($0.subject) }
  }

  @Test func `doctor has no findings about a board without faults`() { #expect(Self.findings(.init()).isEmpty) }

  @Test func `invalid configuration, invalid rules and a global denial are bad findings with commands`() {
    var board = DoctorSnapshot.Board()
    board.configurationFaults = ["a.toml:1: x", "a.toml:2: y"]
    board.policyFaults = ["10.conf:1: z"]
    board.switchOn = "sudo fixcast auth reset everyone"
    let found = Self.findings(board)
    #expect(found.map(\.subject) == ["configuration", "configuration", "policy", "switch"])
    #expect(found.allSatisfy { $0.severity == .bad })
    #expect(found.allSatisfy { $0.remedy?.hasPrefix("sudo fixcast ") == true })
    #expect(found.first?.text == "a.toml:1: x" && found.last?.remedy == board.switchOn)
  }

  @Test func `a configuration file that the user may not read is a note, since the file may be valid`() {
    var board = DoctorSnapshot.Board()
    board.unreadableFiles = ["a.toml: cannot be read: Permission denied"]
    #expect(Self.findings(board).map(\.severity) == [.note])
  }

  @Test func `the doctor reports a configuration warning as a note`() {
    var board = DoctorSnapshot.Board()
    board.configurationWarnings = ["weather.openmeteo.base_url: sent unencrypted"]
    let found = Self.findings(board)
    #expect(found.map(\.severity) == [.note] && found.first?.text == board.configurationWarnings[0])
  }

  @Test func `a daemon without location access is a finding unless location is off for the whole board`() {
    var board = DoctorSnapshot.Board()
    board.daemonStatus = "denied"
    #expect(Self.findings(board).map(\.subject) == ["daemon"])
    board.switchOn = "sudo fixcast auth reset everyone"
    #expect(Self.findings(board).map(\.subject) == ["switch"])
  }
}

@Suite("Doctor findings about the configured sources")
struct DoctorConfiguredSourceTests {
  private static func findings(
    _ sources: [DoctorSnapshot.ConfiguredSource], _ mode: DoctorSnapshot.Mode
  ) -> [DoctorFinding] {
    var snapshot = DoctorSnapshot()
    snapshot.board.sources = sources
    snapshot.mode = mode
    return Doctor.examine(snapshot).filter { ["source", "receivers"].contains($0.subject) }
  }

  @Test func `without the daemon, doctor names each configured source instead of a missing receiver`() {
    let found = Self.findings(
      [
        .init(name: "serial:/dev/a", device: .available),
        .init(name: "serial:/dev/b", device: .missing),
        .init(name: "serial:/dev/c", device: .unreadable),
      ], .cooperative(socket: "/s"))
    #expect(found.map(\.subject) == ["source", "source", "source"])
    #expect(found.map(\.severity) == [.good, .bad, .bad])
    #expect(found.map { $0.text.hasPrefix("serial:/dev/") } == [true, true, true])
    #expect(found[1].remedy?.hasPrefix("fixcast devices") == true)
    #expect(found[2].remedy?.hasPrefix("sudo systemctl start fixcast") == true)
    #expect(Self.findings([], .cooperative(socket: "/s")).map(\.subject) == ["receivers"])
  }
}
