// SPDX-License-Identifier: Apache-2.0

import Daemon
import FixcastTesting
import Foundation
import Glibc
import Testing

@Suite("Path of the weather store")
struct WeatherStoreFileTests {
  @Test func `the configured state directory is created with private permissions`() throws {
    let folder = try ScratchFolder()
    let state = folder.path + "/a/b"
    let path = WeatherStoreFile.path(
      environment: ["FIXCAST_STATE_DIRECTORY": state, "HOME": "/nowhere"], isDaemon: false)
    #expect(path == state + "/weather.sqlite")
    let attributes = try FileManager.default.attributesOfItem(atPath: state)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test(arguments: [
    (["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/fixcast"),
    (["XDG_STATE_HOME": "not/absolute", "HOME": "/h"], "/h/.local/state/fixcast"),
    (["HOME": "/h", "FIXCAST_STATE_DIRECTORY": ""], "/h/.local/state/fixcast"),
  ])
  func `commands store weather in their user's home directory`(
    _ environment: [String: String], _ expected: String
  ) throws {
    let folder = try ScratchFolder()
    let below = environment.mapValues { $0.hasPrefix("/") ? folder.path + $0 : $0 }
    #expect(WeatherStoreFile.path(environment: below, isDaemon: false) == folder.path + expected + "/weather.sqlite")
  }

  @Test(.needsRoot)
  func `commands run by root create nothing in another user's home directory`() throws {
    let folder = try ScratchFolder()
    #expect(chown(folder.path, 12345, 12345) == 0)
    let environment = ["HOME": folder.path]
    #expect(WeatherStoreFile.path(environment: environment, isDaemon: false) == nil)
    #expect(folder.names().isEmpty)
  }

  @Test func `a command without a home directory has no weather store`() {
    #expect(WeatherStoreFile.path(environment: [:], isDaemon: false) == nil)
  }
}
