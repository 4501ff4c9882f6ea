// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

@testable import Bridge

@Suite("A part of the daemon", .timeLimit(.minutes(1)))
struct DaemonServiceTests {
  @Test("one that ends unasked has failed, and is named: nobody takes it for an orderly end")
  func unasked() async {
    for service in [DaemonService("path") {}, DaemonService("path", end: {}) {}] {
      await #expect(throws: DaemonFailure.part("path: ended by itself, which it never should")) {
        try await service.run()
      }
    }
  }

  @Test("at the end each sink is named that could not write what was left, and why")
  func unwritten() {
    var failed = PluginStatus(role: .sink, name: "track", state: .failed)
    failed.lastError = PluginError(.transient(), "/a", why: "held by another program")
    var recovered = PluginStatus(role: .sink, name: "well", state: .stopped)
    recovered.lastError = failed.lastError
    var stage = PluginStatus(role: .stage, name: "asks", state: .failed)
    stage.lastError = failed.lastError
    #expect(
      Daemon.unwritten([recovered, failed, stage]) == [
        "track ended without what was still to be written: /a: held by another program"
      ])
  }

  @Test("one that is cancelled ends in order")
  func cancelled() async throws {
    let service = DaemonService("path") { await BridgeRun.untilCancelled() }
    let run = Task { try await service.run() }
    run.cancel()
    try await run.value
  }
}
