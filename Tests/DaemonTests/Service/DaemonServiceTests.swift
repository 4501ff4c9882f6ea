// SPDX-License-Identifier: Apache-2.0

import Pipeline
import Testing

@testable import Daemon

@Suite("Services of the daemon", .timeLimit(.minutes(5)))
struct DaemonServiceTests {
  @Test func `a service that ends unexpectedly throws an error with the service's name`() async {
    for service in [DaemonService("path") {}, DaemonService("path", end: {}) {}] {
      await #expect(throws: DaemonFailure.service("path: ended unexpectedly")) {
        try await service.run()
      }
    }
  }

  @Test func `the shutdown logs each plugin that failed or lost events, and the reason`() {
    var failed = PluginStatus(role: .sink, name: "track", state: .failed)
    failed.lastError = PluginError(.transient(), "/a", why: "held by another program")
    var before = PluginStatus(role: .sink, name: "out", state: .failed)
    before.lastError = failed.lastError
    let slow = PluginStatus(role: .sink, name: "slow", state: .stopped)
    let late = PluginError(.transient(), "", why: "had not ended")
    let notices = Daemon.stopFailures(
      [before, failed, slow],
      failures: [PluginKey(.sink, "late"): late, PluginKey(.stage, "asks"): late],
      losses: [
        PluginKey(.sink, "track"): 2, PluginKey(.sink, "slow"): 1, PluginKey(.sink, "late"): 3,
      ])
    #expect(
      notices.flatMap(\.lines) == [
        "asks did not shut down cleanly: had not ended",
        "late did not shut down cleanly; 3 events lost: had not ended",
        "slow did not shut down cleanly; 1 event lost",
        "track did not shut down cleanly; 2 events lost: /a: held by another program",
      ])
  }

  @Test func `a service that is cancelled ends without an error`() async throws {
    let service = DaemonService("path") { await PipelineRun.untilCancelled() }
    let run = Task { try await service.run() }
    run.cancel()
    try await run.value
  }
}
