// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import Glibc
import Pipeline
import SystemSupport
import Testing

@testable import Plugins

/// What another program or a power cut does to a file.
enum FileEvent: String, CaseIterable, CustomTestStringConvertible {
  case removed, moved
  /// Moved, and an empty file created in its place, as by logrotate.
  case replaced
  /// Emptied while it is open, as by logrotate with copytruncate.
  case emptied
  /// Shortened to half while it is open.
  case halved
  case madeReadOnly = "made read-only"
  /// Without its last bytes when the sink starts.
  case tornTail = "torn tail"
  /// With NUL bytes in place of its last bytes when the sink starts.
  case tailOfZeros = "tail of NUL bytes"

  var testDescription: String { rawValue }
  /// Whether it happens while no sink runs.
  var isBetweenRuns: Bool { self == .tornTail || self == .tailOfZeros }

  /// Does it to a file.
  func happen(to path: String, of kind: HeldFileKind) throws {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    switch self {
    case .removed: #expect(unlink(path) == 0)
    case .moved: #expect(rename(path, path + ".old") == 0)
    case .replaced:
      #expect(rename(path, path + ".old") == 0)
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
    case .emptied: #expect(truncate(path, 0) == 0)
    case .halved: #expect(truncate(path, off_t(size / 2)) == 0)
    case .madeReadOnly: #expect(chmod(path, 0o400) == 0)
    case .tornTail: #expect(truncate(path, off_t(size - (kind.isDatabase ? 1500 : 40))) == 0)
    case .tailOfZeros:
      // A database does not grow; a text file ends with the rest of its last page.
      let (cut, zeros) = kind.isDatabase ? (2961, 2961) : (40, 2961)
      #expect(truncate(path, off_t(size - cut)) == 0)
      #expect(truncate(path, off_t(size - cut + zeros)) == 0)
    }
  }
}

/// What happens to the files that sinks keep open: each kind of file and each event.
@Suite("Files that sinks keep open", .timeLimit(.minutes(5)))
struct HeldFilesTests {
  private static let points = 12
  /// The number of points before the event; one of them is not written yet if the kind has batches.
  private static let before = 7

  @Test(arguments: HeldFileKind.available, FileEvent.allCases)
  func `a sink notices what happens to its file, warns once, and loses at most a batch`(
    kind: HeldFileKind, event: FileEvent
  ) async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/file"
    let port = try ReservedPort()
    let log = EventRecorder<String>()
    var sink = try kind.sink(path, port: port.number, log: log)
    try await sink.start()
    try await send(0..<Self.before, to: sink)
    if event.isBetweenRuns {
      if let sink = sink as? any BatchingSink { try await sink.write() }
      await sink.stop()
    } else {
      try kind.completeFile(path)
    }
    try event.happen(to: path, of: kind)
    if event.isBetweenRuns {
      sink = try kind.sink(path, port: port.number, log: log)
      try await sink.start()
    }
    try await send(Self.before..<Self.points, to: sink)
    // While the sink runs, only points of the batch that is not full are missing.
    let later = Set(Self.before..<Self.points)
    #expect(later.subtracting(try kind.points(path)).count < HeldFileKind.batch)
    await sink.stop()
    let present = try kind.points(path)
    let lost = later.subtracting(present)
    #expect(lost.isEmpty, "\(kind.rawValue), \(event.rawValue): lost \(lost.sorted())")
    #expect(Set(present).count == present.count, "a point is there twice: \(present)")
    #expect(folder.names().allSatisfy { !$0.hasPrefix("file-2") })
    let warnings = log.events.filter { $0.hasPrefix("warning: ") && $0.contains(path) }
    #expect(warnings.count == 1, "\(kind.rawValue), \(event.rawValue): \(warnings)")
    try checkEarlierPoints(kind, event, folder, present)
    port.release()
  }

  @Test(arguments: [HeldFileKind.track, .gpx, .lines])
  func `a file that was removed with its folder is warned about, though no file can be opened`(kind: HeldFileKind)
    async throws
  {
    let folder = try ScratchFolder()
    try folder.makeFolder("tracks")
    let path = folder.path + "/tracks/file"
    let log = EventRecorder<String>()
    let sink = try kind.sink(path, port: 9, log: log)
    try await sink.start()
    try await send(0..<Self.before, to: sink)
    #expect(rename(folder.path + "/tracks", folder.path + "/gone") == 0)
    await #expect(throws: (any Error).self) {
      try await send(Self.before..<Self.points, to: sink)
    }
    await sink.stop()
    let warnings = log.events.filter { $0.contains("was moved or removed by another program") }
    #expect(warnings.count == 1, "\(log.events)")
  }

  @Test func `a file below a folder without permission is not taken for a removed one`() throws {
    let folder = try ScratchFolder()
    try folder.write("file", "a")
    var held = try #require(HeldFile(at: folder.path + "/file"))
    #expect(held.change() == nil)
    // A path that is too long fails with another error than that of a missing file.
    let long = folder.path + "/" + String(repeating: "x", count: 300)
    var status = stat()
    #expect(stat(folder.path + "/file", &status) == 0)
    var other = HeldFile(long, status)
    #expect(other.change() == nil)
  }

  /// Checks the points from before the event, which it may have removed.
  private func checkEarlierPoints(
    _ kind: HeldFileKind, _ event: FileEvent, _ folder: borrowing ScratchFolder, _ present: [Int]
  ) throws {
    let earlier = Set(0..<Self.before)
    switch event {
    case .moved, .replaced:
      let moved = try kind.points(folder.path + "/file.old")
      // The points of the last batch are in the new file.
      #expect(earlier.subtracting(moved).subtracting(present).isEmpty, "\(moved), \(present)")
      #expect(moved.count > Self.before - HeldFileKind.batch && moved.allSatisfy(earlier.contains))
    case .madeReadOnly: #expect(earlier.isSubset(of: present), "\(present)")
    case .tornTail, .tailOfZeros:
      if kind.isDatabase {
        // SQLite cannot repair a damaged page. The file is kept.
        #expect(folder.names().contains("file.damaged"))
      } else {
        #expect(earlier.subtracting(present).count <= 1, "\(present)")
      }
    case .removed, .emptied, .halved: break
    }
  }

  private func send(_ numbers: Range<Int>, to sink: any Sink) async throws {
    for number in numbers {
      try await sink.receive(LocationEvent(HeldFileKind.location(number)))
    }
    if numbers.upperBound == Self.points, let sink = sink as? any BatchingSink {
      try await sink.write()
    }
  }
}
