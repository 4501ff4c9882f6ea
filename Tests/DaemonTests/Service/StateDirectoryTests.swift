// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import Daemon

@Suite("The daemon's state directory")
struct StateDirectoryTests {
  @Test("one that is there, and one that can be made, is in order")
  func writable() throws {
    let folder = try ScratchFolder()
    #expect(StateDirectory(path: folder.path).fault == nil)
    #expect(StateDirectory(path: folder.path + "/new/deep").fault == nil)
  }

  @Test("one that is a file, or below one, says so", arguments: ["/file", "/file/below"])
  func file(name: String) throws {
    let folder = try ScratchFolder()
    try folder.write("file", "")
    let fault = StateDirectory(path: folder.path + name).fault
    #expect(fault?.hasPrefix("state_directory \(folder.path)\(name): Not a directory: ") == true)
  }

  @Test("a weather store that the daemon may not use is reported")
  func store() throws {
    let folder = try ScratchFolder()
    try folder.write("weather.sqlite", "")
    #expect(StateDirectory(path: folder.path).fault == nil)
    try folder.remove("weather.sqlite")
    let store = folder.path + "/weather.sqlite"
    #expect(symlink("/nowhere", store) == 0)
    let fault = StateDirectory(path: folder.path).fault
    #expect(fault?.hasPrefix("weather store \(store): it is a symbolic link") == true)
    #expect(fault?.hasSuffix("reports and request counts are not saved") == true)
  }

  @Test(
    "what is to be done fits what is wrong",
    arguments: [
      (EACCES, "let the user that fixcast runs as write to /a, or set another state_directory"),
      (EROFS, "/a is read-only; set another state_directory below [daemon]"),
      (ELOOP, "set another state_directory below [daemon]"),
    ])
  func advice(number: Int32, advice: String) {
    #expect(StateDirectory.text("/a/b", "/a", number).hasSuffix("are not saved; " + advice))
  }
}
