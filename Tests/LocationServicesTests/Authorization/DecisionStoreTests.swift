// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import SystemSupport
import Testing

@testable import LocationServices

extension Decision {
  /// Creates a decision for tests.
  static func of(
    _ level: Level, _ selector: ClientSelector = .init(userID: 1000),
    at created: BootTimestamp = .noon,
    seconds: Int64? = nil, reduced: Bool = false, once: Bool = false, refusesAlways: Bool = false
  ) -> Decision {
    var decision = Decision(selector: selector, level: level, created: created, validForSeconds: seconds, grantedBy: 0)
    (decision.isReduced, decision.servesOnce, decision.refusesAlways) = (reduced, once, refusesAlways)
    return decision
  }
}

extension BootTimestamp {
  static let noon = BootTimestamp(utcSeconds: 1_795_262_400, bootSeconds: 500, boot: "b1")
}

@Suite("Store of decisions")
struct DecisionStoreTests {
  private func store(_ folder: borrowing ScratchFolder) -> DecisionStore {
    DecisionStore(folder: folder.path + "/state", lockTimeout: .milliseconds(20))
  }

  @Test func `reading a missing decision store returns an empty ledger and creates no file`() throws {
    let folder = try ScratchFolder()
    #expect(try store(folder).read() == DecisionLedger())
    #expect(access(folder.path + "/state", F_OK) != 0)
  }

  @Test func `a written decision ledger is read back, and only the owner can read its files`() throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    let id = try store.update { $0.record(.of(.whenInUse, seconds: 120)) }
    #expect(id == 1)
    let ledger = try store.read()
    #expect(ledger.decisions.map(\.level) == [.whenInUse])
    #expect(ledger.decisions.first?.expiresUTCSeconds == BootTimestamp.noon.utcSeconds + 120)
    for name in ["decisions.json", "decisions.lock"] {
      var status = stat()
      try #require(stat("\(store.folder)/\(name)", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: store.folder).sorted()
    #expect(names == ["decisions.json", "decisions.lock", "decisions.reserve"])
  }

  @Test(.enabled(if: PrivateMount.isPermitted, "mounts a small disk"))
  func `on a full disk, grants can be revoked repeatedly and no decision is lost`() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    let outcome = PrivateMount.with(path, "size=256k") { () -> [String] in
      let store = DecisionStore(folder: path, lockTimeout: .milliseconds(20))
      var steps: [String] = []
      func step(_ name: String, _ body: () throws -> Void) {
        do { try body() } catch { steps.append("\(name): \(error)") }
      }
      func fill() {
        guard let file = fopen(path + "/filler", "a") else { return }
        while fputc(120, file) >= 0, fflush(file) == 0 {}
        fclose(file)
      }
      step("grants") {
        try store.update { ledger in
          for user in 1...20 as ClosedRange<UInt32> {
            _ = ledger.record(.of(.always, .init(userID: user)))
          }
        }
      }
      for user in 1...20 as ClosedRange<UInt32> {
        // The sinks of the daemon fill the space that a write has freed.
        fill()
        step("\(user)") {
          try store.update { _ = $0.record(.of(.denied, .init(userID: user))) }
          let level = try store.read().decisions.last { $0.selector.userID == user }?.level
          if level != .denied { steps.append("\(user) is \(level as Any)") }
        }
      }
      return steps
    }
    #expect(try #require(outcome) == [])
  }

  @Test(.enabled(if: PrivateMount.isPermitted, "mounts a small disk"))
  func `without reserved space, a write to a full disk fails and leaves the decisions unchanged`() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    let outcome = PrivateMount.with(path, "size=64k") { () -> [String] in
      let store = DecisionStore(folder: path, lockTimeout: .milliseconds(20))
      _ = try? store.update { $0.record(.of(.always)) }
      unlink(path + "/decisions.reserve")
      if let file = fopen(path + "/filler", "w") {
        while fputc(120, file) >= 0, fflush(file) == 0 {}
        fclose(file)
      }
      var lines: [String] = []
      do { _ = try store.update { $0.record(.of(.denied)) } } catch { lines.append("\(error)") }
      lines += (try? store.read().decisions.map { "\($0.level)" }) ?? ["unread"]
      return lines
    }
    let lines = try #require(outcome)
    #expect(
      lines == [
        "\(path)/decisions.json.new: write: No space left on device", "\(Decision.Level.always)",
      ])
  }

  @Test func `updating the decision store without a change does not write the file`() throws {
    let folder = try ScratchFolder()
    try store(folder).update { _ in }
    #expect(access(store(folder).path, F_OK) != 0)
  }

  @Test(arguments: [
    "", "{", "[]", "null", "\u{0}", #"{"version":1}"#, #"{"version":"1"}"#,
    #"{"version":0,"nextID":1,"isSwitchedOff":false,"decisions":[],"pending":[]}"#,
    #"{"version":1,"nextID":-1,"isSwitchedOff":false,"decisions":[],"pending":[]}"#,
    #"{"version":1,"nextID":1,"isSwitchedOff":false,"decisions":[{"level":"all"}],"pending":[]}"#,
  ])
  func `a damaged decision store is neither read nor overwritten`(text: String) throws {
    let folder = try ScratchFolder()
    try folder.write("state/decisions.json", text)
    let store = store(folder)
    let error = #expect(throws: DecisionStoreError.self) { try store.read() }
    #expect(error?.description.contains("move it away and start over") == true)
    #expect(throws: DecisionStoreError.self) { try store.update { $0.isSwitchedOff = true } }
    #expect(try folder.read("state/decisions.json") == text)
  }

  @Test func `entries of an old store with an application name are dropped, not applied to more programs`() throws {
    let folder = try ScratchFolder()
    let time = #"{"boot":"b1","bootSeconds":500,"utcSeconds":1795262400}"#
    func decision(_ id: Int, _ selector: String) -> String {
      """
      {"created":\(time),"grantedBy":0,"id":\(id),"isReduced":false,"level":"always",
       "refusesAlways":false,"selector":\(selector),"servesOnce":false}
      """
    }
    func lease(_ id: Int, _ selector: String) -> String {
      """
      {"created":\(time),"grantedBy":0,"id":\(id),"purposeKeys":[],"selector":\(selector),
       "validForSeconds":600}
      """
    }
    func request(_ id: Int, _ selector: String) -> String {
      """
      {"applicationID":"map","created":\(time),"id":\(id),"processes":[],"purpose":"x",
       "request":"whenInUse","selector":\(selector)}
      """
    }
    let selectors = [
      #"{"applicationID":"map"}"#, #"{"applicationID":""}"#,
      #"{"applicationID":"map","userID":1000}"#, #"{"userID":1001}"#,
      #"{"applicationID":"map","systemUnit":"a.service"}"#, #"{"systemUnit":"b.service"}"#,
    ]
    func list(_ entry: (Int, String) -> String) -> String {
      selectors.enumerated().map { entry($0.offset + 1, $0.element) }.joined(separator: ",")
    }
    try folder.write(
      "state/decisions.json",
      """
      {"decisions":[\(list(decision))],"ended":[\(list { $1 })],"isSwitchedOff":true,
       "leases":[\(list(lease))],"nextID":9,"pending":[\(list(request))],"version":1}
      """)
    let store = store(folder)
    let kept = [ClientSelector(userID: 1001), ClientSelector(systemUnit: "b.service")]
    let ledger = try store.read()
    #expect(ledger.decisions.map(\.selector) == kept && ledger.leases.map(\.selector) == kept)
    #expect(ledger.pending.map(\.selector) == kept && ledger.ended == kept)
    #expect(ledger.decisions.map(\.id) == [4, 6] && ledger.isSwitchedOff)
    try store.update { $0.isSwitchedOff = false }
    let text = try folder.read("state/decisions.json")
    #expect(!text.contains("applicationID") && text.contains("b.service"))
    let evaluation = AuthorizationEvaluation(rules: .init(), ledger: .success(try store.read()))
    for client in [ClientIdentity(userID: 1000), .init(userID: 7, systemUnit: "a.service")] {
      #expect(evaluation.verdict(on: client, asking: .always, at: .noon).origin == .undecided)
    }
  }

  @Test func `a decision store with a selector that matches everyone is treated as damaged`() throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    _ = try store.update { $0.record(.of(.always)) }
    let text = try folder.read("state/decisions.json")
    try folder.write("state/decisions.json", text.replacing("\"userID\" : 1000", with: "\"applicationID\" : null"))
    #expect(throws: DecisionStoreError.self) { try store.read() }
  }

  @Test func `a decision store truncated at any position is treated as damaged`() throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    _ = try store.update { $0.record(.of(.always)) }
    let whole = Array(try folder.read("state/decisions.json").utf8)
    // Without the final newline the file is still complete.
    for count in 0..<(whole.count - 2) {
      try folder.write("state/decisions.json", bytes: Array(whole.prefix(count)))
      #expect(throws: DecisionStoreError.self) { try store.read() }
    }
  }

  @Test func `a selector with a misspelled key in the decision store does not match everyone`() throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    _ = try store.update { $0.record(.of(.always)) }
    let text = try folder.read("state/decisions.json")
    try folder.write("state/decisions.json", text.replacing("\"userID\"", with: "\"uid\""))
    #expect(throws: DecisionStoreError.self) { try store.read() }
  }

  @Test(arguments: [Int64.max, DurationText.maxSeconds + 1, 0, -1])
  func `a decision store with a full-accuracy grant of invalid duration is reported as damaged`(seconds: Int64) throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    _ = try store.update {
      $0.record(FullAccuracyLease(selector: .init(userID: 1000), created: .noon, validForSeconds: 600, grantedBy: 0))
    }
    let text = try folder.read("state/decisions.json")
    try folder.write(
      "state/decisions.json",
      text.replacing(#""validForSeconds" : 600"#, with: #""validForSeconds" : \#(seconds)"#))
    let error = #expect(throws: DecisionStoreError.self) { try store.read() }
    let message = "\(try #require(error))"
    #expect(message.contains("answer 1 for uid=1000: \(seconds) s of full accuracy"), "\(message)")
    #expect(message.contains("move it away and start over"), "\(message)")
  }

  @Test func `a decision store written by a later version is rejected`() throws {
    let folder = try ScratchFolder()
    try folder.write("state/decisions.json", #"{"version":2,"other":true}"#)
    let store = store(folder)
    let error = #expect(throws: DecisionStoreError.self) { try store.read() }
    #expect(error == .newer(path: store.path, version: 2))
  }

  @Test func `a decision store that is a folder or an oversized file is rejected`() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("state/decisions.json")
    let folderError = #expect(throws: DecisionStoreError.self) { try store(folder).read() }
    #expect(folderError?.description.hasSuffix("decisions.json: read: Is a directory") == true)
    try folder.remove("state/decisions.json")
    try folder.write("state/decisions.json", String(repeating: " ", count: DecisionStore.maxBytes + 1))
    #expect(throws: DecisionStoreError.self) { try store(folder).read() }
  }

  @Test func `updating the decision store fails after the lock timeout and writes nothing`() throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    try store.update { $0.isSwitchedOff = true }
    let lock = try StateLock(path: store.folder + "/decisions.lock", timeout: .zero)
    #expect(throws: DecisionStoreError.busy(path: store.folder + "/decisions.lock")) {
      try store.update { $0.isSwitchedOff = false }
    }
    #expect(try store.read().isSwitchedOff)
    lock.release()
    try store.update { $0.isSwitchedOff = false }
    #expect(try !store.read().isSwitchedOff)
  }

  @Test func `a released lock is free although a forked child still has the descriptor`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/decisions.lock"
    let lock = try StateLock(path: path, timeout: .zero)
    let copy = dup(lock.descriptor)
    defer { close(copy) }
    lock.release()
    try StateLock(path: path, timeout: .zero).release()
  }

  @Test func `an interrupted write leaves the decision store intact and does not block the next write`() throws {
    let folder = try ScratchFolder()
    let store = store(folder)
    try store.update { $0.isSwitchedOff = true }
    try folder.write("state/decisions.json.new", #"{"version":1,"nex"#)
    #expect(try store.read().isSwitchedOff)
    _ = try store.update { $0.record(.of(.denied)) }
    #expect(try store.read().decisions.count == 1)
    #expect(access(store.path + ".new", F_OK) != 0)
  }

  @Test func `no decision is lost if several writers update the decision store at once`() throws {
    let folder = try ScratchFolder()
    let store = DecisionStore(folder: folder.path + "/state", lockTimeout: .seconds(30))
    DispatchQueue.concurrentPerform(iterations: 40) { number in
      _ = try? store.update { $0.record(.of(.always, .init(userID: UInt32(number)))) }
    }
    let decisions = try store.read().decisions
    #expect(Set(decisions.compactMap(\.selector.userID)) == Set(0..<40))
    #expect(Set(decisions.map(\.id)).count == 40)
  }

  @Test(.needsRoot)
  func `decision files written by root get the owner of their folder`() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("state")
    try #require(chown(folder.path + "/state", 1234, 1235) == 0)
    // Update twice: the first update creates the files, the second replaces them.
    for isSwitchedOff in [true, false] {
      try store(folder).update { $0.isSwitchedOff = isSwitchedOff }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state")
    #expect(names.sorted() == ["decisions.json", "decisions.lock", "decisions.reserve"])
    for name in names {
      var status = stat()
      try #require(stat(folder.path + "/state/" + name, &status) == 0)
      #expect(status.st_uid == 1234 && status.st_gid == 1235, "\(name)")
      #expect(status.st_mode & 0o7777 == 0o600, "\(name)")
    }
  }

  @Test(.needsRoot)
  func `root does not change the owner of a file with a second hard link`() throws {
    let folder = try ScratchFolder()
    try folder.makeFolder("state")
    try #require(chown(folder.path + "/state", 1234, 1235) == 0)
    let secret = folder.path + "/secret"
    try "root's".write(toFile: secret, atomically: false, encoding: .utf8)
    try #require(link(secret, folder.path + "/state/decisions.lock") == 0)
    #expect(throws: DecisionStoreError.self) {
      try store(folder).update { $0.isSwitchedOff = true }
    }
    var status = stat()
    try #require(stat(secret, &status) == 0)
    #expect(status.st_uid == 0)
  }

  @Test(.enabled(if: PrivateMount.isPermitted, "mounts a small disk"))
  func `on a full disk, the first decision fits into previously reserved space`() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    let levels = PrivateMount.with(path, "size=64k") { () -> [Decision.Level]? in
      let store = DecisionStore(folder: path, lockTimeout: .milliseconds(20))
      store.reserveRoom()
      if let file = fopen(path + "/filler", "w") {
        while fputc(120, file) >= 0, fflush(file) == 0 {}
        fclose(file)
      }
      _ = try? store.update { $0.record(.of(.denied)) }
      return try? store.read().decisions.map(\.level)
    }
    #expect(levels == [.denied])
  }

  @Test func `a reserve file that is a symbolic link or has a second hard link is not written`() throws {
    for isHard in [true, false] {
      let folder = try ScratchFolder()
      try folder.makeFolder("state")
      let (secret, reserve) = (folder.path + "/secret", folder.path + "/state/decisions.reserve")
      try "root's".write(toFile: secret, atomically: false, encoding: .utf8)
      try #require((isHard ? link(secret, reserve) : symlink(secret, reserve)) == 0)
      try store(folder).update { $0.isSwitchedOff = true }
      #expect(try folder.read("secret") == "root's")
    }
  }
}
