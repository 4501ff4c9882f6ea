// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import Testing

@testable import LocationServices

/// The audit log while another process holds its lock, as a suspended `fixcast auth` does.
@Suite("Audit log while its lock is held")
struct AuditQueueTests {
  /// The lock, held until it is released.
  private struct HeldLock: ~Copyable {
    private let descriptor: Int32

    init(_ folder: String) throws {
      descriptor = open(folder + "/audit.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    deinit { close(descriptor) }
  }

  private func lines(_ folder: borrowing ScratchFolder) -> [Substring] {
    ((try? folder.read("var/lib/fixcast/uses.jsonl")) ?? "").split(separator: "\n")
  }

  @Test func `requests and revocations take effect while the audit log is locked`() async throws {
    let folder = try ScratchFolder()
    let fixture = PolicyFixture(folder)
    _ = try fixture.places.store.update { $0.record(.of(.whenInUse)) }
    let lock = try HeldLock(fixture.places.stateFolder)
    var updates = fixture.policy.updates().makeAsyncIterator()
    #expect(await fixture.policy.answer(.whenInUse, purpose: "p") == .decided(Authorization(.authorizedWhenInUse)))
    fixture.policy.note(.started(.updates))
    _ = try fixture.places.store.update { $0.record(.of(.denied)) }
    await fixture.checkFiles()
    while let update = await updates.next(), update != .decided(Authorization(.denied)) {}
    // The lock is still held, so the log is empty.
    #expect(lines(folder).isEmpty)
    _ = consume lock
    await fixture.policy.flush()
    #expect(lines(folder).count >= 3, "\(lines(folder))")
    #expect(lines(folder).first?.contains(#""event":"requested""#) == true)
    #expect(fixture.policy.droppedNoteCount == 0)
  }

  @Test func `audit log lines beyond the capacity of the queue are dropped and counted`() async throws {
    let folder = try ScratchFolder()
    let state = folder.path + "/state"
    try folder.makeFolder("state")
    let lock = try HeldLock(state)
    let queue = AuditQueue(log: AuditLog(folder: state), maxLines: 3)
    for number in 0..<10 {
      try queue.append(AuditEvent(.started, at: Int64(number), client: "uid=1")) { _ in }
    }
    #expect(queue.droppedCount == 7)
    _ = consume lock
    await queue.flush()
    let text = try folder.read("state/uses.jsonl").split(separator: "\n")
    #expect(text.count == 3)
    #expect(text.first?.contains("1970-01-01T00:00:00") == true)
    // After the flush, lines are again written at once.
    try queue.append(AuditEvent(.stopped, at: 11, client: "uid=1")) { _ in }
    #expect(try folder.read("state/uses.jsonl").contains(#""event":"stopped""#))
  }

  @Test func `flushing the audit log ends after the lock timeout and reports the error`() async throws {
    let folder = try ScratchFolder()
    let state = folder.path + "/state"
    try folder.makeFolder("state")
    let lock = try HeldLock(state)
    let queue = AuditQueue(log: AuditLog(folder: state, lockTimeout: .milliseconds(1)), maxLines: 3)
    let faults = EventRecorder<DecisionStoreError>()
    try queue.append(AuditEvent(.started, at: 1, client: "uid=1")) { faults.record($0) }
    await queue.flush()
    #expect(faults.events.first == .busy(path: state + "/audit.lock"))
    _ = consume lock
    await queue.flush()
    #expect(try folder.read("state/uses.jsonl").split(separator: "\n").count == 1)
  }
}
