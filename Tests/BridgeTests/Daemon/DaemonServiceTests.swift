// SPDX-License-Identifier: Apache-2.0

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

  @Test("one that is cancelled ends in order")
  func cancelled() async throws {
    let service = DaemonService("path") { await BridgeRun.untilCancelled() }
    let run = Task { try await service.run() }
    run.cancel()
    try await run.value
  }
}
