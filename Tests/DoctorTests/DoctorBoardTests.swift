// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Doctor

@Suite("What the doctor says of files and decisions that stop fixes")
struct DoctorBoardTests {
  private static func said(_ board: DoctorSnapshot.Board) -> [DoctorFinding] {
    var snapshot = DoctorSnapshot()
    snapshot.board = board
    let subjects = ["configuration", "policy", "switch", "daemon"]
    return Doctor.examine(snapshot).filter { subjects.contains($0.subject) }
  }

  @Test("where nothing is wrong nothing is said")
  func fine() { #expect(Self.said(.init()).isEmpty) }

  @Test("each fault stops fixes, and has a command")
  func faults() {
    var board = DoctorSnapshot.Board()
    board.configurationFaults = ["a.toml:1: x", "a.toml:2: y"]
    board.policyFaults = ["10.conf:1: z"]
    board.switchOn = "sudo fixcast auth reset everyone"
    let found = Self.said(board)
    #expect(found.map(\.subject) == ["configuration", "configuration", "policy", "switch"])
    #expect(found.allSatisfy { $0.severity == .bad && $0.mend?.hasPrefix("sudo fixcast ") == true })
    #expect(found.first?.text == "a.toml:1: x" && found.last?.mend == board.switchOn)
  }

  @Test("what this user may not read may be in order")
  func unread() {
    var board = DoctorSnapshot.Board()
    board.unreadFiles = ["a.toml: cannot be read: Permission denied"]
    #expect(Self.said(board).map(\.severity) == [.note])
  }

  @Test("a warning about the configuration is a note")
  func warning() {
    var board = DoctorSnapshot.Board()
    board.configurationWarnings = ["weather.openmeteo.base_url: sent unencrypted"]
    let found = Self.said(board)
    #expect(found.map(\.severity) == [.note] && found.first?.text == board.configurationWarnings[0])
  }

  @Test("that the daemon may not know is told where nothing else is why")
  func daemon() {
    var board = DoctorSnapshot.Board()
    board.daemonStatus = "denied"
    #expect(Self.said(board).map(\.subject) == ["daemon"])
    board.switchOn = "sudo fixcast auth reset everyone"
    #expect(Self.said(board).map(\.subject) == ["switch"])
  }
}
