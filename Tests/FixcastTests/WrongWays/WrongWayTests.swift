// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Testing

/// Commands as new users type them, most of them wrong, run as child processes.
@Suite struct WrongWayTests {
  @Test(arguments: WrongWay.all)
  func `a wrong command ends with its exit status and a line that says what to do`(_ way: WrongWay) async throws {
    let board = try ScratchFolder()
    try board.write("notes.txt", "milk\nbread\n")
    try board.write("empty.nmea", "")
    try board.write("log.nmea.gz", bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    try board.write("log.txt", bytes: [0xFF, 0xFE] + "$GPGGA".utf8.flatMap { [$0, 0] })
    try board.write("log.ubx", bytes: (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37 >> 3) })
    try board.write("c.toml", way.configuration)
    try board.write("root/etc/fixcast/config.toml", way.boardConfiguration)
    let path = board.path
    let (lines, code) = try await ChildProcess.run(
      path: Program.path,
      arguments: way.arguments.map { $0.replacing("BOARD", with: path) },
      environment: [
        "FIXCAST_ROOT": path + "/root", "FIXCAST_SOCKET": path + "/socket",
        "FIXCAST_STATE_DIRECTORY": path + "/state",
      ])
    #expect(code == way.status, "\(lines)")
    // Data may precede the line, but nothing follows it.
    let last = (lines.last ?? "").replacing(path, with: "BOARD")
    #expect(last.contains(way.line), "\(lines)")
  }

  @Test func `the table has at least the forty wrong ways of the trial, and each only once`() {
    #expect(WrongWay.all.count >= 40)
    #expect(Set(WrongWay.all.map(\.description)).count == WrongWay.all.count)
  }
}
