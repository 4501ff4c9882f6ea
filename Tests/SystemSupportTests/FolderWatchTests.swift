// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Synchronization
import SystemSupport
import Testing

@testable import SystemSupport

@Suite("Folder watch", .timeLimit(.minutes(5)))
struct FolderWatchTests {
  private func makeWatch(
    _ path: String, _ recorder: EventRecorder<FolderWatch.Event>
  ) -> FolderWatch? {
    FolderWatch([.init(path: path, suffix: ".conf")]) { recorder.record($0) }
  }

  /// Makes a watch set without a thread; the kernel queues events before a change returns.
  private func makeSet(_ path: String) throws -> FolderWatchSet {
    try #require(FolderWatchSet([.init(path: path, suffix: ".conf")]))
  }

  @Test func `a folder watch reports files that are written, replaced, renamed, chmodded or removed`() throws {
    let folder = try ScratchFolder()
    var set = try makeSet(folder.path)
    defer { set.close() }
    let file = folder.path + "/a.conf"
    #expect(set.read() == .nothing)
    for change: () throws -> Void in [
      { try Data("x".utf8).write(to: URL(filePath: file)) },
      { try Data("y".utf8).write(to: URL(filePath: file), options: .atomic) },
      { #expect(chmod(file, 0) == 0) }, { #expect(rename(file, folder.path + "/b.conf") == 0) },
      { #expect(rename(folder.path + "/b.conf", folder.path + "/other") == 0) },
      { #expect(rename(folder.path + "/other", file) == 0) }, { #expect(unlink(file) == 0) },
    ] {
      try change()
      #expect(set.read() == .changed)
      #expect(set.read() == .nothing)
    }
  }

  @Test func `a folder watch ignores files without the suffix`() async throws {
    let folder = try ScratchFolder()
    let recorder = EventRecorder<FolderWatch.Event>()
    let watch = try #require(makeWatch(folder.path, recorder))
    for number in 0..<100 { try folder.write("audit-\(number).jsonl", "x") }
    try folder.write("a.conf", "x")
    await recorder.wait(for: 1)
    // Each file is created, written and closed, perhaps first under a temporary name.
    #expect(recorder.events.count <= 6)
    withExtendedLifetime(watch) {}
  }

  @Test func `a folder watch reports changes in a missing or removed folder once the folder exists`() throws {
    let folder = try ScratchFolder()
    var set = try makeSet(folder.path + "/etc/fixcast/policy.d")
    defer { set.close() }
    for round in 0..<3 {
      try folder.write("etc/fixcast/policy.d/a.conf", "round \(round)")
      #expect(set.read() == .changed)
      _ = set.read()
      try folder.write("etc/fixcast/policy.d/a.conf", "more")
      #expect(set.read() == .changed)
      try folder.remove("etc/fixcast")
      #expect(set.read() == .changed)
      _ = set.read()
    }
  }

  @Test func `a released folder watch leaves no thread and no descriptor behind`() async throws {
    let folder = try ScratchFolder()
    var status = stat()
    try #require(stat(folder.path, &status) == 0)
    // Only watches of this folder are counted, because other tests run at the same time.
    let watched = " ino:\(String(status.st_ino, radix: 16)) "
    func watchCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").count {
        let text = (try? BoundedFile.read("/proc/self/fdinfo/\($0)", limit: 65_536)) ?? []
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
          .contains { $0.hasPrefix("inotify ") && $0.contains(watched) }
      }
    }
    let released = EventRecorder<Void>()
    do {
      let watches = (0..<10).compactMap { _ in
        let held = Held { released.record(()) }
        return FolderWatch([.init(path: folder.path, suffix: ".conf")]) { _ in
          withExtendedLifetime(held) {}
        }
      }
      #expect(watches.count == 10)
      #expect(try watchCount() == 10)
    }
    // A thread closes its descriptors before it releases its listener.
    await released.wait(for: 10)
    #expect(try watchCount() == 0)
  }
}
