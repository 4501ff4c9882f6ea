// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import DaemonServer

@Suite("The file with the sessions of the status page") struct WebSessionFileTests {
  private static let session = WebSessions.Saved.Session(
    number: 3, user: 1000, unit: "a.service", isInOtherGroup: false, browser: "Firefox", cookieHash: "aa",
    keyHash: "bb", end: 1_800_000_000)
  private static let saved = WebSessions.Saved(lastNumber: 4, sessions: [session])

  @Test func `the last saved sessions are read again, and only the daemon may read the file`() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/state/web-sessions.json"
    let reports = EventRecorder<String>()
    let file = WebSessionFile(path: path) { reports.record($0) }
    #expect(file.load() == nil && reports.events.isEmpty)
    file.save(WebSessions.Saved(lastNumber: 4, sessions: []))
    file.save(Self.saved)
    await file.flush()
    #expect(file.load() == Self.saved)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(reports.events.isEmpty)
  }

  @Test(arguments: [
    "", "{", "{\"version\":2,\"lastNumber\":1,\"sessions\":[]}", "{\"version\":1,\"sessions\":[{\"number\":-1}]}",
  ])
  func `a damaged file is reported, and contains no sessions`(text: String) throws {
    let folder = try ScratchFolder()
    try folder.write("web-sessions.json", text)
    let reports = EventRecorder<String>()
    let file = WebSessionFile(path: folder.path + "/web-sessions.json") { reports.record($0) }
    #expect(file.load() == nil)
    #expect(reports.events == ["\(folder.path)/web-sessions.json: is damaged; browsers have to log in again"])
  }

  @Test func `the file has room for the most sessions with the longest names of browsers`() async throws {
    let folder = try ScratchFolder()
    let file = WebSessionFile(path: folder.path + "/web-sessions.json") { _ in }
    var session = Self.session
    session.browser = String(repeating: "\"", count: 200)
    session.unit = String(repeating: "u", count: 255)
    let hash = String(repeating: "a", count: 64)
    (session.cookieHash, session.keyHash) = (hash, hash)
    let count = WebSessions.maxCount
    let saved = WebSessions.Saved(lastNumber: .max, sessions: Array(repeating: session, count: count))
    file.save(saved)
    await file.flush()
    #expect(file.load() == saved)
  }

  @Test func `if the sessions cannot be written, the old file is removed, so that no session comes back`() async throws
  {
    let folder = try ScratchFolder()
    let path = folder.path + "/web-sessions.json"
    let reports = EventRecorder<String>()
    let file = WebSessionFile(path: path) { reports.record($0) }
    file.save(Self.saved)
    await file.flush()
    // The new file cannot be created, because its name is that of a folder.
    try folder.makeFolder("web-sessions.json.new")
    file.save(WebSessions.Saved(lastNumber: 4, sessions: []))
    await file.flush()
    #expect(access(path, F_OK) != 0 && file.load() == nil)
    #expect(reports.events.count == 1 && reports.events[0].hasSuffix("browsers have to log in again"))
  }
}
