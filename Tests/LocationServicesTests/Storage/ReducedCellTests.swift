// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Glibc
import Positioning
import SystemSupport
import Testing

@testable import LocationServices

@Suite("Shared reduced-accuracy cell", .timeLimit(.minutes(5)))
struct ReducedCellTests {
  private struct Policy: AuthorizationPolicy, ReducedCellProvider {
    let initialAuthorization = Authorization.reducedAlways
    let reducedCell: ReducedCell

    func answer(_ request: AuthorizationRequest, purpose: String) async -> AuthorizationAnswer {
      .decided(initialAuthorization)
    }
  }

  /// Two coordinates two metres apart, on both sides of a cell border.
  private static let south = Location.at(51.54999, 0.03)
  private static let north = Location.at(51.55001, 0.03)

  /// Returns the coordinate that a new manager delivers.
  private func delivered(_ location: Location, by cell: ReducedCell) async throws -> Coordinate {
    let delegate = RecordingDelegate()
    let manager = LocationManager(policy: Policy(reducedCell: cell), purpose: "Test")
    manager.delegate = delegate
    manager.startUpdatingLocation()
    manager.ingest(.fix(at: location))
    await manager.waitUntilDelivered()
    return try #require(manager.location).coordinate
  }

  @Test func `all managers of a process share one reduced-accuracy cell, on either side of a border`() async throws {
    let cell = ReducedCell(folder: nil)
    let first = try await delivered(Self.south, by: cell)
    #expect(try await delivered(Self.north, by: cell) == first)
    let other = try await delivered(Self.north, by: ReducedCell(folder: nil))
    #expect(other != first, "the two positions are in different cells")
  }

  @Test func `the reduced-accuracy cell survives a restart in a private file without a position`() async throws {
    let folder = try ScratchFolder()
    let first = try await delivered(Self.south, by: ReducedCell(folder: folder.path))
    #expect(try await delivered(Self.north, by: ReducedCell(folder: folder.path)) == first)
    let path = "\(folder.path)/\(ReducedCell.fileName)"
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let text = String(decoding: try BoundedFile.read(path, limit: 1000), as: UTF8.self)
    #expect(text.hasPrefix(#"{"value":{"band":2830,"column":"#), "\(text)")
    #expect(!text.contains("."), "\(text)")
  }

  @Test func `concurrent processes share one cell, no matter which process delivers a location first`() async throws {
    let folder = try ScratchFolder()
    let (first, second) = (ReducedCell(folder: folder.path), ReducedCell(folder: folder.path))
    let far = Location.at(10, 10)
    let before = try await delivered(far, by: first)
    #expect(try await delivered(far, by: second) == before)
    // The board moves to the border of two other cells.
    let chosen = try await delivered(Self.south, by: first)
    #expect(try await delivered(Self.north, by: second) == chosen)
    #expect(try await delivered(Self.north, by: first) == chosen)
  }

  @Test func `a deleted cell file is written again`() async throws {
    let folder = try ScratchFolder()
    let cell = ReducedCell(folder: folder.path)
    let chosen = try await delivered(Self.south, by: cell)
    try folder.remove(ReducedCell.fileName)
    #expect(try await delivered(Self.north, by: cell) == chosen)
    #expect(try await delivered(Self.north, by: ReducedCell(folder: folder.path)) == chosen)
  }

  @Test(arguments: ["{", #"{"version":1,"value":{"band":-1,"column":0,"utcSeconds":1}}"#])
  func `an unreadable cell file is replaced by the cell of the grid`(text: String) async throws {
    let folder = try ScratchFolder()
    try AtomicFile.write(Array(text.utf8), to: "\(folder.path)/\(ReducedCell.fileName)")
    let expected = Grid.center(of: Grid.cell(of: Self.north.coordinate))
    #expect(try await delivered(Self.north, by: ReducedCell(folder: folder.path)) == expected)
  }

  private typealias Grid = ReducedAccuracyGrid

  @Test func `a process has one object for the reduced-accuracy cell of a folder`() throws {
    let folder = try ScratchFolder()
    let places = PolicyPaths(stateFolder: folder.path)
    #expect(places.reducedCell === PolicyPaths(stateFolder: folder.path).reducedCell)
    #expect(places.reducedCell !== ReducedCell.ofProcess)
  }

  @Test func `simulated locations do not change the shared cell`() async throws {
    let cell = ReducedCell(folder: nil)
    let first = try await delivered(Self.south, by: cell)
    var simulated = Location.here
    simulated.isSimulated = true
    var driver = MachineDriver(.authorizedAlways, accuracy: .reducedAccuracy)
    cell.lend(isChoosing: true) { memory in
      driver.machine.reducedMemory = memory
      _ = driver.call(.start(.updates), .location(simulated))
      memory = driver.machine.reducedMemory
    }
    #expect(try await delivered(Self.north, by: cell) == first)
  }
}
