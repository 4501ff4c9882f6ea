// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Positioning
import Testing

@testable import LocationServices

@Suite("Files with monitoring state", .timeLimit(.minutes(5)))
struct MonitoringFileTests {
  private static let home = CircularRegion(
    center: Location.here.coordinate, radiusMeters: 200, identifier: "home")
  private static let condition = CircularCondition(
    center: home.center, radiusMeters: home.radiusMeters)

  private static func state(_ regions: [CircularRegion] = [home]) -> MonitoringState {
    var monitor = RegionMonitor()
    for region in regions { _ = monitor.start(region, assuming: .inside) }
    return MonitoringState(monitor, VisitDetector(), nil)
  }

  private func file(
    _ folder: borrowing ScratchFolder, _ lines: EventRecorder<String> = EventRecorder()
  ) -> MonitoringFile {
    MonitoringFile(folder: folder.path + "/monitoring") { lines.record($0) }
  }

  @Test func `regions in a monitoring file survive a restart, and later crossings are reported`() async throws {
    let folder = try ScratchFolder()
    let lines = EventRecorder<String>()
    do {
      let storage = file(folder, lines)
      #expect(storage.load() == nil)
      let manager = LocationManager(
        policy: ScriptedPolicy(.always), purpose: "Test", storage: storage)
      manager.startMonitoring(for: Self.home)
      manager.ingest(.fix(at: .here))
      await storage.flush()
    }
    let path = folder.path + "/monitoring/regions.json"
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/monitoring")
    #expect(Set(names) == ["regions.json", "regions.json.lock"])

    let policy = ScriptedPolicy(.always)
    let manager = LocationManager(policy: policy, purpose: "Test", storage: file(folder, lines))
    #expect(manager.monitoredRegions == [Self.home])
    #expect(policy.uses.events == [.started(.regions)])
    let delegate = RecordingDelegate()
    manager.delegate = delegate
    for second in 0...30 {
      var location = Location.north(5000)
      location.time = UTCTime(secondsSince1970: Int64(second))
      manager.ingest(.fix(at: location))
    }
    #expect(
      await delegate.recorder.wait(for: 3).dropFirst()
        == [.didExitRegion(Self.home), .didDetermineState(.outside, Self.home)])
    #expect(lines.events == [])
  }

  @Test func `the conditions of monitors with different names survive a restart separately`() async throws {
    let folder = try ScratchFolder()
    let saves = EventRecorder<String>()
    let storage = {
      RecordingStorage(
        file: MonitorFile(folder: folder.path) { Issue.record("\($0)") }, saves: saves)
    }
    let names = ["van", "my van/../x", String(repeating: "ü", count: 200), "", "my%20van"]
    for name in names {
      let manager = LocationManager(policy: ScriptedPolicy(.always), purpose: "Test")
      let monitor = Monitor(name, manager: manager, storage: storage())
      #expect(monitor.identifiers == [])
      monitor.add(Self.condition, identifier: name + "!")
    }
    var later: [Monitor] = []
    for name in names {
      let manager = LocationManager(policy: ScriptedPolicy(.denied), purpose: "Test")
      later.append(Monitor(name, manager: manager, storage: storage()))
      #expect(later.last?.identifiers == [name + "!"])
    }
    // Each monitor saves once more by itself, because its conditions are now unmonitored.
    let saved = await saves.wait(for: 2 * names.count)
    #expect(saved.sorted() == (names + names).sorted())
    withExtendedLifetime(later) {}
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count { $0.hasSuffix(".json") } == names.count)
    #expect(files.contains("monitor-van.json") && files.allSatisfy { $0.utf8.count < 140 })
  }

  /// Records each completed save.
  private struct RecordingStorage: MonitorStorage {
    let file: MonitorFile
    let saves: EventRecorder<String>

    func load(_ name: String) -> MonitorSnapshot? { file.load(name) }
    func save(_ snapshot: MonitorSnapshot, for name: String) {
      file.save(snapshot, for: name)
      saves.record(name)
    }
  }

  @Test(arguments: [
    "", "{", "null", "[]", "\u{0}", #"{"version":1}"#, #"{"version":"1","value":{}}"#,
    #"{"version":0,"value":{"version":1,"regions":{"watches":[]},"visits":{}}}"#,
    #"{"version":1,"value":{"version":2,"regions":{"watches":[]},"visits":{}}}"#,
    #"{"version":1,"value":{"version":1,"regions":{"watches":[{"state":1}]},"visits":{}}}"#,
    #"{"version":1,"value":{"version":1,"regions":{"watches":[{"state":1,"region":{"identifier":"#
      + #""a","center":{"latitudeDegrees":1,"longitudeDegrees":1},"radiusMeters":-1,"#
      + #""notifyOnEntry":true,"notifyOnExit":true}}]},"visits":{}}}"#,
    String(repeating: "[", count: 100_000), String(repeating: " ", count: 300_000),
  ])
  func `a damaged monitoring file is renamed and reported, and monitoring starts over`(text: String) async throws {
    let folder = try ScratchFolder()
    try folder.write("monitoring/regions.json", text)
    let lines = EventRecorder<String>()
    let storage = file(folder, lines)
    #expect(storage.load() == nil)
    let path = folder.path + "/monitoring/regions.json"
    let line = try #require(lines.events.first)
    #expect(
      line.hasPrefix("\(path): is ") && line.contains("set aside as \(path).damaged"), "\(line)")
    #expect(try folder.read("monitoring/regions.json.damaged") == text)
    storage.save(Self.state())
    await storage.flush()
    #expect(file(folder).load() == Self.state())
    #expect(lines.events.count == 1)
  }

  @Test func `a truncated or corrupted monitoring file is rejected as a whole`() async throws {
    let folder = try ScratchFolder()
    let storage = file(folder)
    storage.save(Self.state())
    await storage.flush()
    let whole = Array(try folder.read("monitoring/regions.json").utf8)
    for count in stride(from: 0, to: whole.count - 2, by: 9) {
      try folder.write("monitoring/regions.json", bytes: Array(whole.prefix(count)))
      #expect(file(folder).load() == nil)
    }
    var random = SeededGenerator(seed: 17)
    for _ in 0..<100 {
      var bytes = whole
      let index = Int.random(in: 0..<bytes.count, using: &random)
      bytes[index] = UInt8.random(in: 0...255, using: &random)
      try folder.write("monitoring/regions.json", bytes: bytes)
      // A file that can be read must be valid.
      if let read = file(folder).load() { #expect(read.monitoredRegions.count <= 1) }
    }
  }

  @Test func `a monitoring file that is unreadable or of a later version is reported and not changed`() async throws {
    let folder = try ScratchFolder()
    let later = #"{"version":2,"value":{"other":true}}"#
    try folder.write("monitoring/regions.json", later)
    let lines = EventRecorder<String>()
    let storage = file(folder, lines)
    #expect(storage.load() == nil)
    storage.save(Self.state())
    await storage.flush()
    #expect(try folder.read("monitoring/regions.json") == later)
    #expect(lines.events.count == 1)
    #expect(lines.events.first?.contains("version 2 was written by a later fixcast") == true)

    try folder.remove("monitoring/regions.json")
    try folder.makeFolder("monitoring/regions.json")
    let other = file(folder, lines)
    #expect(other.load() == nil)
    #expect(lines.events.last?.contains("regions.json: read: Is a directory") == true)
  }

  @Test func `a monitoring state that is too large to be read again is not stored`() async throws {
    let folder = try ScratchFolder()
    let lines = EventRecorder<String>()
    let storage = file(folder, lines)
    storage.save(Self.state())
    await storage.flush()
    var long = Self.home
    long.identifier = String(repeating: "x", count: StateFile<MonitoringState>.maxBytes)
    for _ in 0..<2 {
      storage.save(Self.state([long]))
      await storage.flush()
    }
    #expect(lines.events.count == 1)
    #expect(lines.events.first?.contains("larger than") == true)
    #expect(file(folder).load() == Self.state())
  }

  @Test func `if many monitoring states are saved at once, the newest is stored`() async throws {
    let folder = try ScratchFolder()
    let storage = file(folder)
    for number in 0..<500 {
      var region = Self.home
      region.identifier = "\(number)"
      storage.save(Self.state([region]))
    }
    await storage.flush()
    #expect(file(folder).load()?.monitoredRegions.map(\.identifier) == ["499"])
  }

  @Test(.enabled(if: PrivateMount.isPermitted, "mounts a small disk"), arguments: [true, false])
  func `a full or read-only disk is reported once, and the monitoring file is kept`(isReadOnly: Bool) throws {
    let folder = try ScratchFolder()
    let (path, condition) = (folder.path, Self.condition)
    let outcome = PrivateMount.with(path, "size=32k") {
      () -> (lines: [String], names: [[String]]) in
      let lines = EventRecorder<String>()
      let read = { MonitorFile(folder: path).load("van")?.machine.records.keys.sorted() ?? [] }
      let storage = MonitorFile(folder: path) { lines.record($0) }
      var machine = MonitorMachine()
      _ = machine.add(condition, identifier: "a", assuming: .unknown)
      storage.save(MonitorSnapshot(machine: machine), for: "van")
      var names = [read()]
      let filler = path + "/fill"
      if isReadOnly {
        guard PrivateMount.coverReadOnly(path) else { return (["not mounted"], names) }
      } else if let file = fopen(filler, "we") {
        while fputc(120, file) >= 0, fflush(file) == 0 {}
        fclose(file)
      }
      _ = machine.add(condition, identifier: "b", assuming: .unknown)
      for _ in 0..<3 { storage.save(MonitorSnapshot(machine: machine), for: "van") }
      names.append(read())
      if isReadOnly {
        _ = PrivateMount.uncover(path)
      } else {
        // Removing the file would free no space while a new process of another test has it open.
        truncate(filler, 0)
      }
      storage.save(MonitorSnapshot(machine: machine), for: "van")
      names.append(read())
      return (lines.events, names)
    }
    let (lines, names) = try #require(outcome)
    #expect(names == [["a"], ["a"], ["a", "b"]])
    #expect(lines.count == 1)
    let error = isReadOnly ? "Read-only file system" : "No space left on device"
    #expect(lines.first?.contains(error) == true, "\(lines)")
    #expect(lines.first?.hasSuffix("monitoring state will be lost at the next restart") == true)
  }

  @Test func `each client has its own monitoring folder`() {
    let places = PolicyPaths(stateFolder: "/s")
    let clients = [
      ClientIdentity(userID: 0), ClientIdentity(userID: 1000),
      ClientIdentity(userID: 0, systemUnit: "a.service"),
      ClientIdentity(userID: 0, systemUnit: "b.service"),
    ]
    #expect(Set(clients.map(places.monitoringFolder)).count == 4)
    // The name of a unit cannot lead to another folder.
    let unit = ClientIdentity(userID: 1000, systemUnit: "../../x")
    let folder = places.monitoringFolder(of: unit)
    #expect(folder.hasPrefix("/s/monitoring/uid%3d1000") && !folder.contains("/x"))
  }
}
