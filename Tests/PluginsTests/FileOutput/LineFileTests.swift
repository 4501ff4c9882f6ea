// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing

@testable import Plugins

@Suite("A file of lines", .timeLimit(.minutes(5)))
struct LineFileTests {
  private func file(
    _ path: String, limit: Int? = nil, keep: Int = 2, mark: String = "",
    sync: SyncPolicy = .never
  ) -> LineFile {
    LineFile(
      path: path,
      rotation: FileRotation(limitBytes: limit, keepFiles: keep, mark: Array(mark.utf8)),
      sync: sync, now: { MonotonicTime(nanoseconds: 0) })
  }

  @Test("lines are appended to what is there, and nobody else may read them")
  func appends() throws {
    let folder = try ScratchFolder()
    try folder.write("old", "one\n")
    for name in ["old", "new"] {
      let file = file(folder.path + "/" + name, sync: .always)
      try file.append(Array("two\n".utf8))
      try file.append(Array("three\nfour\n".utf8))
      try file.close()
    }
    #expect(try folder.read("old") == "one\ntwo\nthree\nfour\n")
    #expect(try folder.read("new") == "two\nthree\nfour\n")
    var status = stat()
    #expect(stat(folder.path + "/new", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("a line that the disk did not take for sure is told of, and stays: it never comes again")
  func unsynced() throws {
    let folder = try ScratchFolder()
    let answers = Mutex<[Int32]>([0, -1])
    let file = LineFile(
      path: folder.path + "/a", rotation: FileRotation(limitBytes: nil, keepFiles: 0),
      sync: .always, now: { MonotonicTime(nanoseconds: 0) },
      flush: { _ in
        errno = EIO
        return answers.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
      })
    try file.append(Array("one\n".utf8))
    let error = #expect(throws: FileFailure.self) { try file.append(Array("two\n".utf8)) }
    #expect(error?.number == EIO)
    #expect(try folder.read("a") == "one\ntwo\n")
    try file.append(Array("three\n".utf8))
    #expect(try folder.read("a") == "one\ntwo\nthree\n")
  }

  @Test("full files are kept as many as are wanted, with every line whole")
  func rotates() throws {
    let folder = try ScratchFolder()
    let file = file(folder.path + "/a", limit: 10, keep: 2)
    for number in 0..<9 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a", "a.1", "a.2"])
    #expect(try folder.read("a") == "line8\n")
    #expect(try folder.read("a.1") == "line7\n")
    #expect(try folder.read("a.2") == "line6\n")
  }

  @Test("no file is overwritten or moved that is not one of its own, whatever it is called")
  func leavesOthers() throws {
    let folder = try ScratchFolder()
    try folder.write("a.1", "a letter\n")
    try folder.write("a.2", "line of mine, full\n")
    try folder.write("a.3", "")
    try folder.makeFolder("a.4")
    try folder.write("elsewhere", "line of nobody's\n")
    #expect(symlink("elsewhere", folder.path + "/a.5") == 0)
    let file = file(folder.path + "/a", limit: 10, keep: 2, mark: "line")
    for number in 0..<9 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(
      folder.names() == ["a", "a.1", "a.2", "a.3", "a.4", "a.5", "a.6", "elsewhere"])
    #expect(try folder.read("a.1") == "a letter\n")
    #expect(try folder.read("a.2") == "line7\n")
    #expect(try folder.read("a.3") == "")
    #expect(try folder.read("a.6") == "line6\n")
    #expect(try folder.read("elsewhere") == "line of nobody's\n")
  }

  @Test(
    "a file of another user's is not one of its own",
    .enabled(if: geteuid() == 0, "gives a file away"))
  func leavesOtherUsers() throws {
    let folder = try ScratchFolder()
    try folder.write("a.1", "line of theirs\n")
    #expect(chown(folder.path + "/a.1", 65_534, 65_534) == 0)
    let file = file(folder.path + "/a", limit: 10, keep: 1, mark: "line")
    for number in 0..<3 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a", "a.1", "a.2"])
    #expect(try folder.read("a.1") == "line of theirs\n")
    #expect(try folder.read("a.2") == "line1\n")
  }

  @Test("without a file to keep the old one goes")
  func keepsNone() throws {
    let folder = try ScratchFolder()
    let file = file(folder.path + "/a", limit: 12, keep: 0)
    for number in 0..<5 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a"])
    #expect(try folder.read("a") == "line4\n")
  }

  @Test("a line longer than the limit has a file of its own")
  func longLine() throws {
    let folder = try ScratchFolder()
    let file = file(folder.path + "/a", limit: 4, keep: 1)
    try file.append(Array("a\n".utf8))
    try file.append(Array("longer than four\n".utf8))
    #expect(try folder.read("a") == "longer than four\n")
    #expect(try folder.read("a.1") == "a\n")
  }

  @Test("a file that was moved or removed is begun anew, one that was emptied is gone on with")
  func moved() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a"
    let file = file(path)
    try file.append(Array("one\n".utf8))
    #expect(rename(path, path + ".old") == 0)
    try file.append(Array("two\n".utf8))
    try folder.remove("a")
    try file.append(Array("three\n".utf8))
    #expect(try folder.read("a") == "three\n")
    #expect(try folder.read("a.old") == "one\n")
    // As logrotate's copytruncate does.
    #expect(truncate(path, 0) == 0)
    try file.append(Array("four\n".utf8))
    #expect(try folder.read("a") == "four\n")
  }

  @Test("a file that somebody writes is left to them, after a rotation too, until they close it")
  func held() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a"
    let (one, other) = (file(path, limit: 10, keep: 1), file(path, limit: 10, keep: 1))
    for line in ["one\n", "another\n"] {
      try one.append(Array(line.utf8))
      let error = #expect(throws: FileFailure.self) { try other.append(Array("mine\n".utf8)) }
      #expect(error?.isTransient == true)
      #expect(error?.sentence == "\(path): another sink still writes it, or another fixcast")
    }
    #expect(try folder.read("a.1") == "one\n" && folder.read("a") == "another\n")
    try one.close()
    try other.append(Array("m\n".utf8))
    #expect(try folder.read("a") == "another\nm\n")
  }

  @Test("a line that a crash cut off is ended before the next begins")
  func mends() throws {
    let folder = try ScratchFolder()
    try folder.write("a", "one\ntw")
    let file = file(folder.path + "/a")
    try file.append(Array("three\n".utf8))
    #expect(try folder.read("a") == "one\ntw\nthree\n")
  }

  @Test("what cannot be opened says which file, why, and what to do")
  func unopenable() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    #expect(mkfifo(path + "/pipe", 0o600) == 0)
    func failure(_ path: String) -> String? {
      do {
        try file(path).append([0x0A])
        return nil
      } catch {
        return error.sentence
      }
    }
    #expect(
      failure(path + "/none/a")
        == "\(path)/none/a: open: No such file or directory; make its folder, or name another file"
    )
    #expect(failure(path) == "\(path): open: Is a directory; it is a folder; name a file in it")
    #expect(
      failure(path + "/pipe")
        == "\(path)/pipe: open: Invalid argument; it is no regular file; name another")
    #expect(failure("/proc/version/a")?.contains("a part of its path is a file") == true)
  }

  @Test(
    "where the disk is full nothing is half written, and it goes on when there is room",
    .enabled(if: SmallVolume.isPermitted, "making a volume is not permitted here"))
  func full() throws {
    let volume = try #require(SmallVolume(bytes: 65_536))
    let path = volume.path + "/a"
    let file = file(path, sync: .always)
    var written = 0
    func line(_ number: Int) -> [UInt8] {
      Array("\(number) \(String(repeating: "x", count: 1000))\n".utf8)
    }
    let failure = #expect(throws: FileFailure.self) {
      for number in 0..<1000 {
        try file.append(line(number))
        written += 1
      }
    }
    #expect(failure?.number == ENOSPC)
    #expect(failure?.isTransient == true)
    #expect(
      failure?.sentence.hasSuffix("writing goes on by itself when there is room again") == true)
    #expect(written > 50)
    // Still full: neither more nor less.
    #expect(throws: FileFailure.self) { try file.append(line(0)) }
    let expected = (0..<written).flatMap(line)
    #expect(try bytes(path) == expected)
    // Room again, and a short line as well as a long one goes in.
    #expect(truncate(path, 4096) == 0)
    try file.append(line(7))
    #expect(try bytes(path).suffix(line(7).count) == line(7)[...])
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    let descriptor = try FileFailure.check(path, "open") { open(path, O_RDONLY | O_CLOEXEC) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }
}
