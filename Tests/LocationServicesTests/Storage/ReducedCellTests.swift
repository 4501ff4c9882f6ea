// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("The cell of reduced accuracy", .timeLimit(.minutes(5)))
struct ReducedCellTests {
  private struct Policy: AuthorizationPolicy, ReducedCellKeeper {
    let initialAuthorization = Authorization.reducedAlways
    let reducedCell: ReducedCell

    func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
      .decided(initialAuthorization)
    }
  }

  /// Two metres apart, on both sides of an edge.
  private static let south = Location(coordinate: .at(51.54999, 0.03))
  private static let north = Location(coordinate: .at(51.55001, 0.03))

  /// Where a manager of its own is told that the board is.
  private func told(_ location: Location, by cell: ReducedCell) async throws -> Coordinate {
    let delegate = RecordingDelegate()
    let manager = LocationManager(policy: Policy(reducedCell: cell), purpose: "Test")
    manager.delegate = delegate
    manager.startUpdatingLocation()
    manager.ingest(.fix(at: location))
    await manager.waitUntilDelivered()
    return try #require(manager.location).coordinate
  }

  @Test("is one for all managers of a process, on whichever side of an edge they begin")
  func oneProcess() async throws {
    let cell = ReducedCell(folder: nil)
    let first = try await told(Self.south, by: cell)
    #expect(try await told(Self.north, by: cell) == first)
    let other = try await told(Self.north, by: ReducedCell(folder: nil))
    #expect(other != first, "the two places lie in two cells")
  }

  @Test("outlives the process, with no place and for its owner's eyes")
  func restarted() async throws {
    let folder = try ScratchFolder()
    let first = try await told(Self.south, by: ReducedCell(folder: folder.path))
    #expect(try await told(Self.north, by: ReducedCell(folder: folder.path)) == first)
    let path = "\(folder.path)/\(ReducedCell.fileName)"
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let text = String(decoding: try BoundedFile.read(path, limit: 1000), as: UTF8.self)
    #expect(text.hasPrefix(#"{"value":{"band":2830,"column":"#), "\(text)")
    #expect(!text.contains("."), "\(text)")
  }

  @Test("is one for processes that run at once, whichever of them is told first")
  func together() async throws {
    let folder = try ScratchFolder()
    let (first, second) = (ReducedCell(folder: folder.path), ReducedCell(folder: folder.path))
    let far = Location(coordinate: .at(10, 10))
    let before = try await told(far, by: first)
    #expect(try await told(far, by: second) == before)
    // The board is driven to an edge between two others.
    let chosen = try await told(Self.south, by: first)
    #expect(try await told(Self.north, by: second) == chosen)
    #expect(try await told(Self.north, by: first) == chosen)
  }

  @Test("is written anew where its file is gone")
  func removed() async throws {
    let folder = try ScratchFolder()
    let cell = ReducedCell(folder: folder.path)
    let chosen = try await told(Self.south, by: cell)
    try folder.remove(ReducedCell.fileName)
    #expect(try await told(Self.north, by: cell) == chosen)
    #expect(try await told(Self.north, by: ReducedCell(folder: folder.path)) == chosen)
  }

  @Test(
    "that cannot be read is the grid's own",
    arguments: ["{", #"{"version":1,"value":{"band":-1,"column":0,"utcSeconds":1}}"#])
  func damaged(text: String) async throws {
    let folder = try ScratchFolder()
    try AtomicFile.write(Array(text.utf8), to: "\(folder.path)/\(ReducedCell.fileName)")
    let expected = Grid.center(of: Grid.cell(of: Self.north.coordinate))
    #expect(try await told(Self.north, by: ReducedCell(folder: folder.path)) == expected)
  }

  private typealias Grid = ReducedAccuracyGrid

  @Test("is one for each folder of a process")
  func shared() throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(stateFolder: folder.path)
    #expect(places.reducedCell === PolicyPaths(stateFolder: folder.path).reducedCell)
    #expect(places.reducedCell !== ReducedCell.ofProcess)
  }

  @Test("is not moved by a simulated board")
  func simulated() async throws {
    let cell = ReducedCell(folder: nil)
    let first = try await told(Self.south, by: cell)
    var elsewhere = Location.here
    elsewhere.isSimulated = true
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    cell.lend(isChoosing: true) { memory in
      driver.machine.reducedAccuracy.memory = memory
      _ = driver.call(.start(.updates), .location(elsewhere))
      memory = driver.machine.reducedAccuracy.memory
    }
    #expect(try await told(Self.north, by: cell) == first)
  }
}
