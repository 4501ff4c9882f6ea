// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import Testing

@testable import Daemon

@Suite("How long a daemon may take to end")
struct DaemonEndTests {
  @Test("longer than its pipeline, and less than the unit gives, with time for what is killed last")
  func deadlines() throws {
    let unit = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../.packaging/systemd/fixcast.service")
    let text = try String(contentsOf: unit, encoding: .utf8)
    let key = "TimeoutStopSec="
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(key) })
    let given = Duration.seconds(try #require(Int(line.dropFirst(key.count))))
    #expect(StopPolicy().total < Daemon.shutdownTimeout)
    // A second for a program that is just being started, and one for those that are killed.
    #expect(Daemon.shutdownTimeout + .seconds(2) < given)
  }
}
