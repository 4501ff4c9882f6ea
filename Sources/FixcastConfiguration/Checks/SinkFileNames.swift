// SPDX-License-Identifier: Apache-2.0

/// The names of all files that a sink may create.
///
/// - A placeholder matches any date or start time.
/// - A rotated file has `.1`, `.2` and so on after its name.
/// - A GPX track whose name is already used by another file has `-2`, `-3` and so on before `.gpx`.
/// - A database has additional files with suffixes.
struct SinkFileNames {
  /// A position in a name: one byte in a range, or any number of such bytes.
  private struct Position {
    var bytes: ClosedRange<UInt8>
    var isRepeated = false
  }

  private let names: [[Position]]

  init(_ name: String, extraSuffixes: [String] = []) {
    let whole = Self.positions(of: name)
    var names = [whole]
    if name.hasSuffix(".gpx") {
      names.append(
        Self.positions(of: String(name.dropLast(4)) + "-") + Self.number
          + Self.positions(of: ".gpx"))
    }
    self.names =
      names + names.map { $0 + Self.positions(of: ".") + Self.number }
      + extraSuffixes.map { whole + Self.positions(of: $0) }
  }

  /// Whether both sinks may create a file with the same name.
  func overlaps(_ other: SinkFileNames) -> Bool {
    names.contains { one in other.names.contains { Self.overlaps(one, $0) } }
  }

  /// A positive number without leading zeros.
  private static let number = [
    Position(bytes: UInt8(ascii: "1")...UInt8(ascii: "9")),
    Position(bytes: UInt8(ascii: "0")...UInt8(ascii: "9"), isRepeated: true),
  ]

  private static func positions(of name: String) -> [Position] {
    let shapes = [("{date}", "0000-00-00"), ("{start}", "00000000T000000Z")]
    var (rest, positions) = (Substring(name), [Position]())
    while !rest.isEmpty {
      if let (mark, shape) = shapes.first(where: { rest.hasPrefix($0.0) }) {
        positions += shape.utf8.map {
          Position(bytes: $0 == UInt8(ascii: "0") ? $0...UInt8(ascii: "9") : $0...$0)
        }
        rest = rest.dropFirst(mark.count)
      } else {
        positions += String(rest.removeFirst()).utf8.map { Position(bytes: $0...$0) }
      }
    }
    return positions
  }

  private static func overlaps(_ one: [Position], _ other: [Position]) -> Bool {
    // Search all pairs of positions that both names can reach with the same characters.
    var (visited, pending) = (Set<[Int]>(), [[0, 0]])
    while let pair = pending.popLast() {
      guard visited.insert(pair).inserted else { continue }
      let (i, j) = (pair[0], pair[1])
      if i == one.count, j == other.count { return true }
      if i < one.count, one[i].isRepeated { pending.append([i + 1, j]) }
      if j < other.count, other[j].isRepeated { pending.append([i, j + 1]) }
      guard i < one.count, j < other.count, one[i].bytes.overlaps(other[j].bytes) else { continue }
      pending.append([one[i].isRepeated ? i : i + 1, other[j].isRepeated ? j : j + 1])
    }
    return false
  }
}
