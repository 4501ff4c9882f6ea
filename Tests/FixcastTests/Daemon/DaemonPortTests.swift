// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

/// Commands whose `--source` is a serial port that the daemon already reads.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DaemonPortTests {
  @Test func `if the daemon reads the port of --source, commands exit with 69 and suggest no --source`() async throws {
    let board = try DaemonFixture()
    try await ChildProcess.use(path: Program.path, arguments: ["simulate", "--hz", "5"]) {
      let devnode = try #require(await $0.lines.wait(for: 1).first)
      let link = board.path + "/gps0"
      try #require(symlink(devnode, link) == 0)
      try board.configure(DaemonFixture.source("type = \"serial\"\ndevice = \"\(link)\""))
      try await board.use { daemon in
        // The daemon has opened the port once it delivers a position.
        let located = try await board.run("locate", "--timeout", "20")
        #expect(located.code == 0, "\(located.lines)")
        let commands = [
          ["locate"], ["locate", "--json"], ["watch", "--no-weather"],
          ["weather", "--weather-url", "http://127.0.0.1:9"],
        ]
        for command in commands {
          let result = try await board.run(command + ["--source", "serial:\(devnode)"])
          #expect(result.code == 69, "\(command): \(result.lines)")
          #expect(
            result.lines.last
              == "fixcast: \(devnode): already in use by the daemon; leave out --source to get its "
              + "positions, or stop the daemon first: sudo systemctl stop fixcast",
            "\(command)")
        }
        // The daemon does not read /dev/null.
        let other = try await board.run("locate", "--source", "serial:/dev/null")
        #expect(other.lines.last?.contains("daemon") == false, "\(other.lines)")
        #expect(await daemon.end() == 0)
      }
    }
  }
}
