// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import LocationServices
import Positioning
import Synchronization
import SystemSupport
import Testing

@testable import Plugins

@Suite("Line file", .timeLimit(.minutes(5)))
struct LineFileTests {
  private func file(
    _ path: String, limit: Int? = nil, keep: Int = 2, signature: String = "",
    sync: SyncPolicy = .never
  ) -> LineFile {
    LineFile(
      path: path,
      rotation: FileRotation(limitBytes: limit, keepFiles: keep, signature: Array(signature.utf8)),
      sync: sync, now: { .at(0) })
  }

  @Test func `lines are appended to an existing file, and a new file is readable by its owner only`() throws {
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

  @Test func `a failed sync is reported, and the written line stays in the file`() throws {
    let folder = try ScratchFolder()
    let flushResults = Mutex<[Int32]>([0, -1])
    let file = LineFile(
      path: folder.path + "/a", rotation: FileRotation(limitBytes: nil, keepFiles: 0),
      sync: .always, now: { .at(0) },
      flush: { _ in
        errno = EIO
        return flushResults.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
      })
    try file.append(Array("one\n".utf8))
    let error = #expect(throws: FileFailure.self) { try file.append(Array("two\n".utf8)) }
    #expect(error?.number == EIO)
    #expect(try folder.read("a") == "one\ntwo\n")
    try file.append(Array("three\n".utf8))
    #expect(try folder.read("a") == "one\ntwo\nthree\n")
  }

  @Test func `the configured number of full files is kept, and all files contain only whole lines`() throws {
    let folder = try ScratchFolder()
    let file = file(folder.path + "/a", limit: 10, keep: 2)
    for number in 0..<9 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a", "a.1", "a.2"])
    #expect(try folder.read("a") == "line8\n")
    #expect(try folder.read("a.1") == "line7\n")
    #expect(try folder.read("a.2") == "line6\n")
  }

  @Test func `rotation neither overwrites nor moves files that the sink did not write`() throws {
    let folder = try ScratchFolder()
    try folder.write("a.1", "a letter\n")
    try folder.write("a.2", "line of mine, full\n")
    try folder.write("a.3", "")
    try folder.makeFolder("a.4")
    try folder.write("elsewhere", "line of another\n")
    #expect(symlink("elsewhere", folder.path + "/a.5") == 0)
    let file = file(folder.path + "/a", limit: 10, keep: 2, signature: "line")
    for number in 0..<9 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a", "a.1", "a.2", "a.3", "a.4", "a.5", "a.6", "elsewhere"])
    #expect(try folder.read("a.1") == "a letter\n")
    #expect(try folder.read("a.2") == "line7\n")
    #expect(try folder.read("a.3") == "")
    #expect(try folder.read("a.6") == "line6\n")
    #expect(try folder.read("elsewhere") == "line of another\n")
  }

  @Test(.needsRoot)
  func `rotation neither overwrites nor moves a file of another user`() throws {
    let folder = try ScratchFolder()
    try folder.write("a.1", "line of theirs\n")
    #expect(chown(folder.path + "/a.1", 65_534, 65_534) == 0)
    let file = file(folder.path + "/a", limit: 10, keep: 1, signature: "line")
    for number in 0..<3 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a", "a.1", "a.2"])
    #expect(try folder.read("a.1") == "line of theirs\n")
    #expect(try folder.read("a.2") == "line1\n")
  }

  @Test func `a full file is removed if the number of files to keep is 0`() throws {
    let folder = try ScratchFolder()
    let file = file(folder.path + "/a", limit: 12, keep: 0)
    for number in 0..<5 { try file.append(Array("line\(number)\n".utf8)) }
    #expect(folder.names() == ["a"])
    #expect(try folder.read("a") == "line4\n")
  }

  @Test func `a line that is longer than the file size limit is written to a new file`() throws {
    let folder = try ScratchFolder()
    let file = file(folder.path + "/a", limit: 4, keep: 1)
    try file.append(Array("a\n".utf8))
    try file.append(Array("longer than four\n".utf8))
    #expect(try folder.read("a") == "longer than four\n")
    #expect(try folder.read("a.1") == "a\n")
  }

  @Test func `a moved or removed file is created again, and a truncated file is continued`() throws {
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
    // Truncate the file, like logrotate with copytruncate.
    #expect(truncate(path, 0) == 0)
    try file.append(Array("four\n".utf8))
    #expect(try folder.read("a") == "four\n")
  }

  @Test func `a sink cannot open a file that another sink has open, even after a rotation`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a"
    let (one, other) = (file(path, limit: 10, keep: 1), file(path, limit: 10, keep: 1))
    for line in ["one\n", "another\n"] {
      try one.append(Array(line.utf8))
      let error = #expect(throws: FileFailure.self) { try other.append(Array("mine\n".utf8)) }
      #expect(error?.isTransient == true)
      #expect(error?.message == "\(path): in use by another sink or another fixcast")
    }
    #expect(try folder.read("a.1") == "one\n" && folder.read("a") == "another\n")
    try one.close()
    try other.append(Array("m\n".utf8))
    #expect(try folder.read("a") == "another\nm\n")
  }

  @Test(arguments: [
    "", "li", "line two", "\0", "li\0\0", String(repeating: "\0", count: 2961),
    "line " + String(repeating: "x", count: 100_000),
  ])
  func `a line that a crash or a power cut left incomplete is removed before the next line`(_ tail: String) throws {
    let folder = try ScratchFolder()
    try folder.write("a", "line one\n" + tail)
    let file = file(folder.path + "/a", signature: "line")
    try file.append(Array("line three\n".utf8))
    #expect(try folder.read("a") == "line one\nline three\n")
  }

  @Test func `an incomplete line that another program wrote is terminated, and not removed`() throws {
    let folder = try ScratchFolder()
    try folder.write("a", "a letter")
    let file = file(folder.path + "/a", signature: "line")
    try file.append(Array("line\n".utf8))
    #expect(try folder.read("a") == "a letter\nline\n")
  }

  @Test func `the error of a file that cannot be opened contains the path, the reason and advice`() throws {
    let folder = try ScratchFolder()
    let path = folder.path
    #expect(mkfifo(path + "/pipe", 0o600) == 0)
    func failure(_ path: String) -> String? {
      do {
        try file(path).append([0x0A])
        return nil
      } catch {
        return error.message
      }
    }
    #expect(
      failure(path + "/none/a")
        == "\(path)/none/a: open: No such file or directory; create its folder, or use another file"
    )
    #expect(failure(path) == "\(path): open: Is a directory; this is a folder; use a file in it")
    #expect(failure(path + "/pipe") == "\(path)/pipe: open: Invalid argument; not a regular file; use another")
    #expect(failure("/proc/version/a")?.contains("part of its path is a file") == true)
  }

  @Test(.enabled(if: SmallVolume.isPermitted, "creating a volume is not permitted here"))
  func `on a full disk no incomplete line is written, and writing resumes when there is free space`() throws {
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
    #expect(failure?.message.hasSuffix("writing resumes when there is free space") == true)
    #expect(written > 50)
    // The disk is still full, and the file is unchanged.
    #expect(throws: FileFailure.self) { try file.append(line(0)) }
    let expected = (0..<written).flatMap(line)
    #expect(try bytes(path) == expected)
    // When there is free space again, a line can be appended.
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
