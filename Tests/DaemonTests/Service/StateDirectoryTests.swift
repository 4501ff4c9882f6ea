// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Testing

@testable import Daemon

@Suite("State directory of the daemon")
struct StateDirectoryTests {
  @Test func `no error is reported for a state directory that exists or can be created`() throws {
    let folder = try ScratchFolder()
    #expect(StateDirectory(path: folder.path).fault == nil)
    #expect(StateDirectory(path: folder.path + "/new/deep").fault == nil)
  }

  @Test(arguments: ["/file", "/file/below"])
  func `an error is reported if the state directory is a file or below a file`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.write("file", "")
    let fault = StateDirectory(path: folder.path + name).fault
    #expect(fault?.hasPrefix("state_directory \(folder.path)\(name): Not a directory: ") == true)
  }

  @Test func `an error is reported if the daemon cannot use the weather store`() throws {
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

  @Test(arguments: [
    (EACCES, "let the user that fixcast runs as write to /a, or set another state_directory"),
    (EROFS, "/a is read-only; set another state_directory below [daemon]"),
    (ELOOP, "set another state_directory below [daemon]"),
  ])
  func `the correction for an unusable state directory depends on the error`(number: Int32, advice: String) {
    #expect(StateDirectory.text("/a/b", "/a", number).hasSuffix("are not saved; " + advice))
  }
}
