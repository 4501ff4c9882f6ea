// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// The reduced-accuracy cell of this board, shared by all programs.
///
/// At the border of two cells, the cell depends on where the board came from. A program that got a
/// new cell by restarting or by creating a second manager would see both cells and so locate the
/// border. Two programs that compare their locations could also locate the border. Therefore all
/// managers of a process share one cell. With a state folder, the cell survives restarts and is
/// shared with other processes. The file holds the cell and its time, never the position.
///
/// Without a folder, or if this user cannot read or write the file, a process starts with the
/// grid's cell of its first location. A restart at the border of two cells can then reveal the
/// border.
package final class ReducedCell: Sendable {
  typealias Cell = ReducedAccuracyGrid.Cell

  /// Content of the file.
  private struct Record: Codable, Sendable {
    var band: Int
    var column: Int
    /// Time of the write in seconds since 1970.
    var utcSeconds: Int64
  }

  private struct State {
    var cell: Cell?
    /// The cell in the file.
    var saved: Cell?
    /// Whether the file has been read and ``stamp`` is its stamp at that time.
    var isRead = false
    /// Stamp of the file when it was read; `nil` if it was missing.
    var stamp: StateFile<Record>.Stamp?
  }

  static let fileName = "reduced.json"
  /// The cell of managers without a folder.
  package static let ofProcess = ReducedCell(folder: nil)
  private static let boards = Mutex<[String: ReducedCell]>([:])
  /// The maximum number of shared cells; cells of further folders are not shared.
  private static let maxBoards = 256

  private let file: StateFile<Record>?
  private let now: @Sendable () -> BootTimestamp
  private let state = Mutex(State())
  /// Held during a write, so that an older cell never overwrites a newer one.
  private let saving = Mutex(())

  init(folder: String?, now: @escaping @Sendable () -> BootTimestamp = { BootTimestamp.now() }) {
    // Errors are not reported: everything works without the file.
    file = folder.map { folder in
      StateFile(path: "\(folder)/\(Self.fileName)", report: { _ in }) {
        ReducedAccuracyGrid.cell(band: $0.band, column: $0.column) != nil
      }
    }
    self.now = now
  }

  /// Returns the cell of a folder such as `/var/lib/fixcast`; the same object within a process.
  package static func of(folder: String) -> ReducedCell {
    boards.withLock { boards in
      if let existing = boards[folder] { return existing }
      let cell = ReducedCell(folder: folder)
      if boards.count < maxBoards { boards[folder] = cell }
      return cell
    }
  }

  /// Gives `body` exclusive access to the cell.
  ///
  /// - Parameters:
  ///   - isChoosing: Whether `body` may choose a cell, which is rare. If so, a cell that another
  ///     process has chosen is loaded first.
  ///   - body: Reads the memory and stores the new cell in it.
  /// - Returns: The result of `body`.
  package func lend<Value: Sendable>(
    isChoosing: Bool, _ body: (inout ReducedAccuracy.Memory) -> Value
  ) -> Value {
    state.withLock { state in
      if isChoosing { reloadIfChanged(&state) }
      var memory = ReducedAccuracy.Memory(cell: state.cell)
      let value = body(&memory)
      state.cell = memory.cell
      return value
    }
  }

  /// Loads the cell that another process has chosen.
  ///
  /// Callers that hold a lock during ``lend(isChoosing:_:)`` call this first, so that they do not
  /// wait for the disk under that lock.
  package func reloadIfChanged() { state.withLock { reloadIfChanged(&$0) } }

  /// Loads the cell from the file if the file has changed.
  private func reloadIfChanged(_ state: inout State) {
    guard let file else { return }
    // The stamp is taken before the read, so that a change during the read is detected next time.
    let stamp = file.stamp
    guard !state.isRead || stamp != state.stamp else { return }
    (state.isRead, state.stamp) = (true, stamp)
    state.saved = stamp.flatMap { _ in file.load() }.flatMap {
      ReducedAccuracyGrid.cell(band: $0.band, column: $0.column)
    }
    // A missing or damaged file is written again with the current cell.
    state.cell = state.saved ?? state.cell
  }

  /// Whether the cell differs from the file.
  var isUnsaved: Bool { file != nil && state.withLock { $0.cell != $0.saved } }

  /// Writes the cell if it has changed; after a failure, the cell is kept in memory only.
  package func save() {
    guard let file else { return }
    saving.withLock { _ in
      let changed = state.withLock { $0.cell == $0.saved ? nil : $0.cell }
      guard let changed else { return }
      file.save(Record(band: changed.band, column: changed.column, utcSeconds: now().utcSeconds))
      state.withLock { ($0.saved, $0.isRead) = (changed, false) }
    }
  }
}

/// A policy with the state folder of a board.
package protocol ReducedCellProvider {
  /// The reduced-accuracy cell of the policy's board.
  var reducedCell: ReducedCell { get }
}

extension PolicyFiles: ReducedCellProvider {
  package var reducedCell: ReducedCell { places.reducedCell }
}

extension PolicyPaths {
  /// The reduced-accuracy cell of this board.
  package var reducedCell: ReducedCell { .of(folder: stateFolder) }
}
