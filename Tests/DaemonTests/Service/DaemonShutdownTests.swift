// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import Testing

@testable import Daemon

@Suite("Shutdown timeout of the daemon")
struct DaemonShutdownTests {
  @Test func `the shutdown timeout is between the timeouts of the pipeline and of the systemd unit`() throws {
    let unit = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../.packaging/systemd/fixcast.service")
    let text = try String(contentsOf: unit, encoding: .utf8)
    let key = "TimeoutStopSec="
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(key) })
    let unitTimeout = Duration.seconds(try #require(Int(line.dropFirst(key.count))))
    #expect(StopPolicy().total < Daemon.shutdownTimeout)
    // Allow a second for a program that is just starting, and a second to kill other programs.
    #expect(Daemon.shutdownTimeout + .seconds(2) < unitTimeout)
  }
}
