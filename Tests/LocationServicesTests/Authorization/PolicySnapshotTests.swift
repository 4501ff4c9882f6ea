// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Synchronization
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Snapshot of rules and decisions") struct PolicySnapshotTests {
  private static let user = ClientSelector(userID: 1000)

  @Test func `decisions are read again while a write might leave the stamp of their file unchanged`() throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    func decide(_ level: Decision.Level) throws {
      _ = try places.store.update {
        $0.record(Decision(selector: Self.user, level: level, created: .now(), grantedBy: 0))
      }
    }
    try decide(.always)
    let now = Mutex<Int64>(1_767_225_600)
    // Every write leaves the same stamp, as if all writes were made at the same time.
    var files = PolicySnapshot.Files()
    files.stamp = { FileStamp($0, changedAt: 1_767_225_600, size: 100) }
    files.utcNow = { now.withLock { $0 } }
    let snapshot = Mutex(
      PolicySnapshot(folders: places.folders, store: places.store, files: files))
    func level() -> Decision.Level? {
      snapshot.withLock { snapshot in
        snapshot.readChangedDecisions()
        return try? snapshot.evaluation.ledger.get().decisions.first?.level
      }
    }
    #expect(level() == .always)
    try decide(.denied)
    #expect(level() == .denied)
    now.withLock { $0 += 3 }
    try decide(.whenInUse)
    #expect(level() == .whenInUse)
    // The last read happened when a write would have changed the stamp, so there is no further
    // read.
    try decide(.always)
    #expect(level() == .whenInUse)
  }

  @Test(arguments: [(EMFILE, true), (EIO, true), (EACCES, false)] as [(Int32, Bool)])
  func `after a temporary read error, an unchanged file is read again`(number: Int32, isReadAgain: Bool) throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(root: folder.path)
    let fails = Mutex(true)
    var files = PolicySnapshot.Files()
    files.stamp = { FileStamp($0, changedAt: 0, size: 100) }
    files.decisions = { store in
      guard fails.withLock({ $0 }) else { return .success(DecisionLedger()) }
      return .failure(.file(FileFailure(path: store.path, call: "open", number: number)))
    }
    files.rules = { _ in
      var rules = PolicyRules()
      rules.hasTemporaryProblem = isReadAgain && fails.withLock { $0 }
      return rules
    }
    var snapshot = PolicySnapshot(folders: places.folders, store: places.store, files: files)
    #expect(snapshot.hasTemporaryReadError == isReadAgain)
    fails.withLock { $0 = false }
    #expect(snapshot.readChanged(at: .zero) == true)
    #expect(!snapshot.hasTemporaryReadError && !snapshot.evaluation.rules.hasTemporaryProblem)
    #expect((try? snapshot.evaluation.ledger.get()) == (isReadAgain ? DecisionLedger() : nil))
  }

  @Test(arguments: [(0, false), (2, false), (3, true), (-60, false)] as [(Int64, Bool)])
  func `a file stamp is settled as soon as any later write would change it`(seconds: Int64, isSettled: Bool) {
    let stamp = FileStamp("/a", changedAt: 1_767_225_600, size: 1)
    #expect(stamp.isSettled(at: 1_767_225_600 + seconds) == isSettled)
    #expect(FileStamp("/nonexistent/a").isSettled(at: 0))
  }
}
