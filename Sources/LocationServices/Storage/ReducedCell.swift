// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import SystemSupport

/// The cell that this board is told to be in at reduced accuracy: one for all who are told.
///
/// Which of two cells a board at their edge counts as in depends on where it came from. A program
/// that could begin anew, by being restarted or by a second manager, would be told the one and the
/// other, and so find the edge; so would two programs that compare what they are told. Hence all
/// managers of a process share it, and where there is a folder for the state it outlives the process
/// and is shared with others that run: the cell alone and since when, never the place.
///
/// Without a folder, or where the file cannot be read or written, as by a user whom the state does
/// not belong to, a process begins with the cell that the grid has for its first location: one edge
/// instead of a strip, and still told by a restart to whoever lives on it.
package final class ReducedCell: Sendable {
  typealias Cell = ReducedAccuracyGrid.Cell

  /// What lies in the file.
  private struct Record: Codable, Sendable {
    var band: Int
    var column: Int
    /// Since when, seconds since 1970.
    var utcSeconds: Int64
  }

  private struct State {
    var cell: Cell?
    /// What lies in the file.
    var saved: Cell?
    /// Whether nobody has written the file since it was read, as far as its stamp tells.
    var isRead = false
    /// Of the file as it was read; `nil` where there was none.
    var stamp: StateFile<Record>.Stamp?
  }

  static let fileName = "reduced.json"
  /// Of managers without a folder.
  package static let ofProcess = ReducedCell(folder: nil)
  private static let boards = Mutex<[String: ReducedCell]>([:])
  /// More than a process has; beyond they are not shared.
  private static let maxBoards = 256

  private let file: StateFile<Record>?
  private let now: @Sendable () -> BootTimestamp
  private let state = Mutex(State())
  /// Held while the file is written, so that what is newer is written later.
  private let saving = Mutex(())

  init(folder: String?, now: @escaping @Sendable () -> BootTimestamp = { BootTimestamp.now() }) {
    // Nobody needs to be told: without the file all goes on.
    file = folder.map { folder in
      StateFile(path: "\(folder)/\(Self.fileName)", report: { _ in }) {
        ReducedAccuracyGrid.cell(band: $0.band, column: $0.column) != nil
      }
    }
    self.now = now
  }

  /// The one of a folder, such as `/var/lib/fixcast`; the same for all of this process.
  package static func of(folder: String) -> ReducedCell {
    boards.withLock { boards in
      if let known = boards[folder] { return known }
      let cell = ReducedCell(folder: folder)
      if boards.count < maxBoards { boards[folder] = cell }
      return cell
    }
  }

  /// Lends the cell to whoever reduces a location; nobody else does meanwhile.
  ///
  /// - Parameters:
  ///   - isChoosing: Whether a cell may be chosen, which is seldom: what another process has chosen
  ///     meanwhile counts then.
  ///   - body: Decides, and leaves the cell that holds from now on.
  /// - Returns: What it decides.
  package func lend<Value: Sendable>(
    isChoosing: Bool, _ body: (inout ReducedAccuracy.Memory) -> Value
  ) -> Value {
    state.withLock { state in
      if isChoosing { readAnew(&state) }
      var memory = ReducedAccuracy.Memory(cell: state.cell)
      let value = body(&memory)
      state.cell = memory.cell
      return value
    }
  }

  /// Takes over what another process has chosen meanwhile: before ``lend(isChoosing:_:)``, by those
  /// who hold a lock of their own then and must not wait for the disk with it.
  package func readAnew() { state.withLock { readAnew(&$0) } }

  /// Takes over what lies in the file, where that is another than the last time.
  private func readAnew(_ state: inout State) {
    guard let file else { return }
    // Before it is read: what replaces it meanwhile is read the next time.
    let stamp = file.stamp
    guard !state.isRead || stamp != state.stamp else { return }
    (state.isRead, state.stamp) = (true, stamp)
    state.saved = stamp.flatMap { _ in file.load() }.flatMap {
      ReducedAccuracyGrid.cell(band: $0.band, column: $0.column)
    }
    // One that is gone or damaged is written anew, with the cell that holds.
    state.cell = state.saved ?? state.cell
  }

  /// Whether there is anything to write.
  var isUnsaved: Bool { file != nil && state.withLock { $0.cell != $0.saved } }

  /// Writes the cell where it is another than before; a failure costs no more than the memory.
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

/// A policy that knows where the board's state lies.
package protocol ReducedCellKeeper {
  /// The cell of the board that the policy decides for.
  var reducedCell: ReducedCell { get }
}

extension PolicyFiles: ReducedCellKeeper {
  package var reducedCell: ReducedCell { places.reducedCell }
}

extension PolicyPaths {
  /// The cell of this board.
  package var reducedCell: ReducedCell { .of(folder: stateFolder) }
}
