// SPDX-License-Identifier: Apache-2.0

import Bridge
import FixcastTesting
import Foundation
import Testing

@Suite("Where the weather store lies")
struct WeatherStoreFileTests {
  @Test func `the folder that is named counts, and is made for its owner only`() throws {
    let folder = try ScratchFolder()
    let state = folder.path + "/a/b"
    let path = WeatherStoreFile.path(
      environment: ["FIXCAST_STATE_DIRECTORY": state, "HOME": "/nowhere"], isRoot: false)
    #expect(path == state + "/weather.sqlite")
    let attributes = try FileManager.default.attributesOfItem(atPath: state)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test(arguments: [
    (["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/fixcast"),
    (["XDG_STATE_HOME": "not/absolute", "HOME": "/h"], "/h/.local/state/fixcast"),
    (["HOME": "/h", "FIXCAST_STATE_DIRECTORY": ""], "/h/.local/state/fixcast"),
  ])
  func `others than root keep it in their home`(
    _ environment: [String: String], _ expected: String
  ) throws {
    let folder = try ScratchFolder()
    let below = environment.mapValues { $0.hasPrefix("/") ? folder.path + $0 : $0 }
    #expect(
      WeatherStoreFile.path(environment: below, isRoot: false)
        == folder.path + expected + "/weather.sqlite")
  }

  @Test func `without a home there is none`() {
    #expect(WeatherStoreFile.path(environment: [:], isRoot: false) == nil)
  }
}
