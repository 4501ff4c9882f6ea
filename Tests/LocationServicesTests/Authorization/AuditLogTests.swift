// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Positioning
import Testing

@testable import LocationServices

@Suite("Audit log")
struct AuditLogTests {
  private static let event: AuditEvent = {
    var event = AuditEvent(.decided, at: 1_795_262_400, client: "uid=1000")
    event.requested = .whenInUse
    event.byUser = 0
    event.authorization = Authorization(.authorizedWhenInUse, accuracy: .reducedAccuracy)
    event.decidedBy = "etc:1: allow everyone"
    event.reason = "a \"map\"\n"
    return event
  }()

  private static let line =
    #"{"class":"AUDIT","time":"2026-11-21T12:00:00.000Z","#
    + #""event":"decided","client":"uid=1000","requested":"whenInUse","#
    + #""status":"authorizedWhenInUse","accuracy":"reduced","by":"etc:1: allow everyone","uid":0,"#
    + #""reason":"a \"map\"\n","mode":"cooperative"}"# + "\n"

  @Test func `audit log lines are appended to a file that only its owner may read`() throws {
    let folder = try ScratchFolder()
    let log = AuditLog(folder: folder.path + "/state")
    try log.append(Self.event)
    try log.append(Self.event)
    #expect(try folder.read("state/audit.jsonl") == Self.line + Self.line)
    var status = stat()
    try #require(stat(log.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `the audit log never has more than two files, and their size is limited`() throws {
    let folder = try ScratchFolder()
    let maxBytes = Self.line.utf8.count * 3
    let log = AuditLog(folder: folder.path, maxBytes: maxBytes)
    for _ in 0..<20 { try log.append(Self.event) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["audit.jsonl", "audit.jsonl.1", "audit.lock"])
    #expect(try folder.read("audit.jsonl.1").utf8.count == maxBytes)
    #expect(try folder.read("audit.jsonl") == Self.line + Self.line)
  }

  @Test(
    arguments: [
      .requested, .denied, .started, .firstFix, .stopped, .activityBegan, .activityEnded,
      .fullAccuracyBegan, .fullAccuracyEnded, .decided,
    ] as [AuditEvent.Kind])
  func `events of programs never displace decisions of operators in the audit log`(kind: AuditEvent.Kind) throws {
    let folder = try ScratchFolder()
    let log = AuditLog(folder: folder.path, maxBytes: Self.line.utf8.count * 3)
    let decisions = [AuditEvent.Kind.decided, .revoked, .reset, .switched].map { kind in
      var event = AuditEvent(kind, at: 1_795_262_400, client: "uid=1000")
      if kind == .decided { event.byUser = 0 }
      return event
    }
    for event in decisions { try log.append(event) }
    var use = AuditEvent(kind, at: 1_795_262_400, client: "uid=1001")
    // With a request, the event `decided` is the answer of a rule, logged for each request.
    use.requested = .always
    for _ in 0..<50 { try log.append(use) }
    #expect(try folder.read("audit.jsonl").split(separator: "\n").count == decisions.count)
    #expect(try folder.read("uses.jsonl").contains(#""event":"\#(kind.rawValue)""#))
    #expect(try folder.read("uses.jsonl.1").utf8.count <= Self.line.utf8.count * 3)
  }

  @Test(arguments: ["audit.jsonl", "audit.lock"])
  func `the error of a failed append to the audit log names the file and the system call`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.makeFolder(name)
    let log = AuditLog(folder: folder.path)
    let error = #expect(throws: DecisionStoreError.self) { try log.append(Self.event) }
    #expect(error?.description.hasSuffix("/\(name): open: Is a directory") == true)
  }

  @Test func `concurrent writers to the audit log append complete lines`() throws {
    let folder = try ScratchFolder()
    let log = AuditLog(folder: folder.path, lockTimeout: .seconds(30))
    DispatchQueue.concurrentPerform(iterations: 40) { _ in try? log.append(Self.event) }
    let text = try folder.read("audit.jsonl")
    #expect(text == String(repeating: Self.line, count: 40))
  }
}

@Suite("Paths of the authorization files")
struct PolicyPathsTests {
  @Test func `the default paths of the authorization files need no option`() {
    let places = PolicyPaths(environment: ["FIXCAST_ROOT": ""])
    #expect(places == PolicyPaths())
    #expect(places.folders == PolicyFolders())
    #expect(places.store.path == "/var/lib/fixcast/decisions.json")
    #expect(places.command(["fixcast", "auth", "list"]) == "fixcast auth list")
  }

  @Test(
    arguments: [
      (nil, "/var/lib/fixcast", ""), (nil, "/var/lib/fixcast/", ""),
      ("/img", "/img/var/lib/fixcast", " --root /img"),
      ("/img", "/var/lib/fixcast", " --root /img --state-directory /var/lib/fixcast"),
      (nil, "/srv/fix cast", " --state-directory '/srv/fix cast'"),
    ] as [(String?, String, String)])
  func `an explicit default authorization path needs no option; another path becomes an option`(
    root: String?, folder: String, options: String
  ) {
    let places = PolicyPaths(root: root, stateFolder: folder)
    #expect(places.command(["fixcast", "auth", "list"]) == "fixcast auth list" + options)
  }

  @Test func `authorization paths other than the defaults become options, quoted for a shell`() {
    let places = PolicyPaths(
      environment: ["FIXCAST_ROOT": "/tmp/a b/", "FIXCAST_STATE_DIRECTORY": "/it's"])
    #expect(places.folders.administrator == "/tmp/a b/etc/fixcast/policy.d")
    #expect(
      places.command(["fixcast", #"unit=a\x2d.service"#])
        == #"fixcast 'unit=a\x2d.service' --root '/tmp/a b' --state-directory '/it'\''s'"#)
  }
}
