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

  @Test("doctor has no findings about a board without faults")
  func fine() { #expect(Self.findings(.init()).isEmpty) }

  @Test("each fault of the configuration, the rules or the global deny switch has a command")
  func faults() {
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

  @Test("a file that this user may not read is a note, since it may be valid")
  func unread() {
    var board = DoctorSnapshot.Board()
    board.unreadableFiles = ["a.toml: cannot be read: Permission denied"]
    #expect(Self.findings(board).map(\.severity) == [.note])
  }

  @Test("a warning about the configuration is a note")
  func warning() {
    var board = DoctorSnapshot.Board()
    board.configurationWarnings = ["weather.openmeteo.base_url: sent unencrypted"]
    let found = Self.findings(board)
    #expect(found.map(\.severity) == [.note] && found.first?.text == board.configurationWarnings[0])
  }

  @Test("a daemon without access to the location is reported unless another finding explains it")
  func daemon() {
    var board = DoctorSnapshot.Board()
    board.daemonStatus = "denied"
    #expect(Self.findings(board).map(\.subject) == ["daemon"])
    board.switchOn = "sudo fixcast auth reset everyone"
    #expect(Self.findings(board).map(\.subject) == ["switch"])
  }
}
