// SPDX-License-Identifier: Apache-2.0

/// Finds the entry of a satellite's signal in a list without a search through the list.
///
/// The entries of one satellite form a chain, the newest first. A receiver tracks few signals of a
/// satellite, so a chain is short.
struct SatelliteIndex: Sendable {
  /// The newest entry of each satellite, counted from 1; 0 for none.
  private var newest = [UInt16](repeating: 0, count: SatelliteID.indexCount)
  /// The next older entry of the same satellite, for each entry of the list; 0 for none.
  private var older: [UInt16] = []

  /// The position of an entry in `list`, which holds what ``append(_:)`` was given, in order.
  func position(of satellite: Satellite, in list: [Satellite]) -> Int? {
    var entry = Int(newest[satellite.id.index])
    while entry > 0 {
      if list[entry &- 1].signal == satellite.signal { return entry &- 1 }
      entry = Int(older[entry &- 1])
    }
    return nil
  }

  /// Adds the entry that follows the last one.
  mutating func append(_ id: SatelliteID) {
    older.append(newest[id.index])
    newest[id.index] = UInt16(truncatingIfNeeded: older.count)
  }

  /// Removes all entries, which are those of `list`.
  mutating func removeAll(of list: [Satellite]) {
    for satellite in list { newest[satellite.id.index] = 0 }
    older.removeAll(keepingCapacity: true)
  }
}
