// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Testing

@Suite("Watching the configuration", .timeLimit(.minutes(1)))
struct ConfigurationWatchTests {
  @Test(
    "tells of a file that changes or appears, in a folder that is not there yet too",
    arguments: ["etc/fixcast/config.toml", "etc/fixcast/conf.d/10.toml"])
  func changes(name: String) async throws {
    let folder = try ScratchFolder()
    var changes = ConfigurationWatch.changes(of: ConfigurationFiles(root: folder.path))
      .makeAsyncIterator()
    try folder.write(name, "x = 1")
    try #require(await changes.next() != nil)
    try folder.write(name, "x = 2")
    #expect(await changes.next() != nil)
  }

  @Test("ends with the task that listens")
  func end() async throws {
    let folder = try ScratchFolder()
    let changes = ConfigurationWatch.changes(of: ConfigurationFiles(root: folder.path))
    let task = Task { for await _ in changes {} }
    task.cancel()
    await task.value
  }
}
