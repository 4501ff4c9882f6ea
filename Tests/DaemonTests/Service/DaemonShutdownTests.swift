// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import Testing

@testable import Daemon

@Suite("Shutdown timeout of the daemon")
struct DaemonShutdownTests {
  @Test("the daemon's shutdown timeout is longer than the pipeline's but shorter than the unit's")
  func deadlines() throws {
    let unit = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../.packaging/systemd/fixcast.service")
    let text = try String(contentsOf: unit, encoding: .utf8)
    let key = "TimeoutStopSec="
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(key) })
    let given = Duration.seconds(try #require(Int(line.dropFirst(key.count))))
    #expect(StopPolicy().total < Daemon.shutdownTimeout)
    // Allow one second for a program that is just starting, and one to kill the remaining programs.
    #expect(Daemon.shutdownTimeout + .seconds(2) < given)
  }
}
