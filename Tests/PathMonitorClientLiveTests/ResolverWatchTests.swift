// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Testing

@testable import PathMonitorClientLive

@Suite("Watch of resolv.conf")
struct ResolverWatchTests {
  /// Two events of a little-endian kernel.
  static let events = NetlinkFramesTests.frame(
    """
    01 00 00 00  08 00 00 00  00 00 00 00  10 00 00 00  ; watch 1, IN_CLOSE_WRITE, 16 bytes of name
    68 6F 73 74 73 00 00 00  00 00 00 00 00 00 00 00    ; "hosts"
    02 00 00 00  80 00 00 00  07 00 00 00  10 00 00 00  ; watch 2, IN_MOVED_TO, a cookie
    72 65 73 6F 6C 76 2E 63  6F 6E 66 00 00 00 00 00    ; "resolv.conf"
    """)
  static let overflow = NetlinkFramesTests.frame(
    "FF FF FF FF  00 40 00 00  00 00 00 00  00 00 00 00 ; no watch, IN_Q_OVERFLOW")
  static let ended = NetlinkFramesTests.frame(
    "02 00 00 00  00 80 00 00  00 00 00 00  00 00 00 00 ; watch 2, IN_IGNORED")

  private func isChanged(_ bytes: [UInt8], _ names: [Int32: Set<String>]) -> Bool {
    ResolverWatch.isChanged(bytes[...], names)
  }

  @Test func `only events with relevant names and lost events are treated as a change of resolv.conf`() {
    #expect(isChanged(Self.events, [2: ["resolv.conf"]]))
    #expect(isChanged(Self.events, [1: ["hosts"]]))
    #expect(!isChanged(Self.events, [1: ["resolv.conf"], 2: ["hosts"]]))
    #expect(!isChanged(Array(Self.events.dropLast()), [2: ["resolv.conf"]]))
    #expect(!isChanged([], [1: ["hosts"]]))
    #expect(isChanged(Self.overflow, [:]))
    #expect(isChanged(Self.ended, [2: ["resolv.conf"]]))
    // The event for the removal of a watch is ignored.
    #expect(!isChanged(Self.ended, [1: ["resolv.conf"]]))
  }

  @Test func `parsing damaged inotify events never crashes`() {
    var generator = SeededGenerator(seed: 65)
    var changes = 0
    for _ in 0..<RandomInputs.count(100_000) {
      var bytes = Self.events + Self.overflow
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        let at = Int.random(in: bytes.indices, using: &generator)
        bytes[at] = UInt8.random(in: 0...255, using: &generator)
      }
      bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
      changes += isChanged(bytes, [2: ["resolv.conf"]]) ? 1 : 0
    }
    #expect((RandomInputs.count(1000)..<RandomInputs.count(99_000)).contains(changes))
  }

  @Test func `the watch of resolv.conf follows symbolic links, even after a link gets a new target`() throws {
    let files = FileManager.default
    let folder = URL.temporaryDirectory.appending(path: "fixcast-resolver-\(UUID())")
    let (run, new) = (folder.appending(path: "run"), folder.appending(path: "new/file"))
    for each in [run, new.deletingLastPathComponent()] {
      try files.createDirectory(at: each, withIntermediateDirectories: true)
    }
    defer { try? files.removeItem(at: folder) }
    let file = folder.appending(path: "resolv.conf")
    try files.createSymbolicLink(atPath: file.path, withDestinationPath: "run/a")
    #expect(
      ResolverWatch.steps(from: file.path).map(\.name) == ["resolv.conf", "a"])
    let watch = ResolverWatch(file.path)
    #expect(watch.descriptor >= 0 && !watch.consumeChanges())
    // Renames, as resolvers do. The file is not opened: a process that another test starts at that
    // moment would inherit the descriptor, and delay the event of closing the file.
    func replace(_ name: String) throws {
      try #require(mknod(new.path, S_IFREG | 0o644, 0) == 0)
      try #require(rename(new.path, folder.appending(path: name).path) == 0)
    }
    try replace("run/a")
    #expect(watch.consumeChanges() && !watch.consumeChanges())
    try replace("run/b")
    try replace("hosts")
    #expect(!watch.consumeChanges())
    try files.removeItem(at: file)
    try files.createSymbolicLink(atPath: file.path, withDestinationPath: run.path + "/b")
    #expect(watch.consumeChanges())
    // Events of removed and renewed watches are not changes.
    _ = watch.consumeChanges()
    #expect(!watch.consumeChanges())
    try replace("run/a")
    #expect(!watch.consumeChanges())
    try replace("run/b")
    #expect(watch.consumeChanges())

    // A file that is written in place.
    try Data("y".utf8).write(to: run.appending(path: "b"))
    while !watch.consumeChanges() {
      var readable = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&readable, 1, -1) == 1)
    }
  }

  @Test func `the watch of resolv.conf ends its search at a link to itself and at a missing file`() throws {
    let folder = URL.temporaryDirectory.appending(path: "fixcast-resolver-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "loop").path
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "loop")
    #expect(ResolverWatch.steps(from: file).count == 8)
    #expect(!ResolverWatch(file).consumeChanges())
    #expect(!ResolverWatch("/nowhere/at/all").consumeChanges())
    #expect(!ResolverWatch("relative").consumeChanges())
  }
}
