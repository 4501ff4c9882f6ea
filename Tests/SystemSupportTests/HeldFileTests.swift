// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import SystemSupport

@Suite("Held file") struct HeldFileTests {
  @Test func `an open file that nobody changes, or that grows, has no change`() throws {
    let folder = try ScratchFolder()
    try folder.write("a", "one")
    var held = try #require(HeldFile(at: folder.path + "/a"))
    #expect(held.change() == nil)
    let descriptor = open(folder.path + "/a", O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(write(descriptor, "two", 3) == 3)
    close(descriptor)
    #expect(held.change() == nil)
    #expect(held.size == 6)
  }

  @Test func `a missing, another, a shorter and a read-only file are told apart`() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a"
    try folder.write("a", "one")
    try folder.write("b", "other")
    var held = try #require(HeldFile(at: path))
    #expect(chmod(path, 0o400) == 0)
    #expect(held.change() == .madeReadOnly)
    #expect(held.change() == nil)
    #expect(chmod(path, 0o600) == 0)
    #expect(held.change() == nil)
    #expect(truncate(path, 2) == 0)
    #expect(held.change() == .truncated)
    #expect(rename(path, folder.path + "/c") == 0)
    #expect(held.change() == .removed)
    #expect(rename(folder.path + "/b", path) == 0)
    #expect(held.change() == .replaced)
    #expect(HeldFile(at: folder.path + "/none") == nil)
  }
}
