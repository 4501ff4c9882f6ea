// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Glibc
import LocationServices
import Pipeline
import Positioning
import Testing

@testable import Plugins

@Suite("Files of sinks for a group")
struct FileGroupTests {
  /// A group that this process may give files to, and its identifier.
  private static let group: (name: String, identifier: gid_t)? = {
    // Root may use any group; another user only its own.
    let entry = geteuid() == 0 ? getgrnam("daemon") : getgrgid(getegid())
    return entry.map { (String(cString: $0.pointee.gr_name), $0.pointee.gr_gid) }
  }()

  private static func sink(_ type: String, _ file: String, group: String?) throws -> any Sink {
    let entries = [
      SettingEntry("file", .string(file)), group.map { SettingEntry("group", .string($0)) },
    ]
    let plugin = try #require(PluginCatalog.plugin(.sink, type))
    let specification = plugin.specification(
      SettingsTable("sink[0]", entries: entries.compactMap { $0 }),
      PluginContext(now: { .at(0) }))
    return try #require(try specification.maker.make() as? any Sink)
  }

  private static func write(_ sink: any Sink) async throws {
    try await sink.start()
    try await sink.receive(LocationEvent(.at(54, 10, time: .noon)))
    if let sink = sink as? any BatchingSink { try await sink.write() }
  }

  private static func status(_ path: String) throws -> stat {
    var status = stat()
    try #require(lstat(path, &status) == 0)
    return status
  }

  @Test(arguments: ["gpx", "sqlite", "jsonlines"])
  func `a group may read the file of a sink, and nobody else`(_ type: String) async throws {
    let group = try #require(Self.group)
    let folder = try ScratchFolder()
    let file = folder.path + "/track"
    // The file of the first sink is not readable by the group; the second one changes it.
    for name in [nil, group.name, group.name] {
      let sink = try Self.sink(type, file, group: name)
      try await Self.write(sink)
      let suffixes = type == "sqlite" ? ["", "-wal", "-shm"] : [""]
      for suffix in suffixes {
        let status = try Self.status(file + suffix)
        #expect(status.st_mode & 0o777 == (name == nil ? 0o600 : 0o640), "\(file + suffix)")
        if name != nil, suffix.isEmpty { #expect(status.st_gid == group.identifier) }
      }
      await sink.stop()
    }
  }

  @Test(arguments: ["gpx", "sqlite", "jsonlines"])
  func `a group that does not exist is a failure that names the key`(_ type: String) async throws {
    let folder = try ScratchFolder()
    let sink = try Self.sink(type, folder.path + "/track", group: "no such group")
    let error = await #expect(throws: PluginError.self) { try await Self.write(sink) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("no such group on this machine"))
  }
}
