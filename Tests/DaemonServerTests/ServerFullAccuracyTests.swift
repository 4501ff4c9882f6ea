// SPDX-License-Identifier: Apache-2.0

import DaemonProtocol
import FixcastTesting
import Glibc
import SystemSupport
import Testing

@testable import DaemonServer
@testable import LocationServices

@Suite("Temporary full accuracy", .timeLimit(.minutes(5)), .needsRoot)
struct ServerFullAccuracyTests {
  @Test func `a full-accuracy request is cancelled when its connection closes, despite open streams`() async throws {
    let daemon = try await TestDaemon(policy: "allow uid=1 accuracy=reduced\n")
    let stream = try RawClient(daemon.path, user: 1)
    stream.get("/v1/events?purpose=test")
    await stream.wait(for: "authorized")
    let asking = try RawClient(daemon.path, user: 1)
    let body = #"{"request":"temporaryFull","purpose":"rescue","timeout":60}"#
    asking.send(
      "POST /v1/authorization HTTP/1.1\r\nHost: fixcast\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        + body)
    _ = await daemon.reports.wait { $0.contains { $0.contains("full accuracy") } }
    let store = daemon.places.store
    #expect(try store.read().pending.count == 1)
    let isEmpty = EventRecorder<Bool>()
    let watch = FolderWatch(daemon.places.watched) { _ in
      isEmpty.record((try? store.read().pending.isEmpty) ?? false)
    }
    asking.hangUp()
    _ = await isEmpty.wait { $0.last == true }
    withExtendedLifetime(watch) {}
    #expect(try store.read().pending.isEmpty)
    #expect(await daemon.end() == nil)
  }
}
