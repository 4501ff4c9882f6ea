// SPDX-License-Identifier: Apache-2.0

/// The names of all files that a sink may create.
///
/// - A placeholder matches any date or start time.
/// - A rotated file has `.1`, `.2` and so on after its name.
/// - A GPX track whose name is already used by another file has `-2`, `-3` and so on before `.gpx`.
/// - A database has additional files with suffixes.
struct SinkFileNames {
  /// A position in a name: one byte in a range, or any number of such bytes.
  private struct Place {
    var bytes: ClosedRange<UInt8>
    var isRepeated = false
  }

  private let names: [[Place]]

  init(_ name: String, extraSuffixes: [String] = []) {
    let whole = Self.places(of: name)
    var names = [whole]
    if name.hasSuffix(".gpx") {
      names.append(
        Self.places(of: String(name.dropLast(4)) + "-") + Self.number + Self.places(of: ".gpx"))
    }
    self.names =
      names + names.map { $0 + Self.places(of: ".") + Self.number }
      + extraSuffixes.map { whole + Self.places(of: $0) }
  }

  /// Whether both sinks may create a file with the same name.
  func overlap(_ other: SinkFileNames) -> Bool {
    names.contains { one in other.names.contains { Self.overlap(one, $0) } }
  }

  /// A positive number without leading zeros.
  private static let number = [
    Place(bytes: UInt8(ascii: "1")...UInt8(ascii: "9")),
    Place(bytes: UInt8(ascii: "0")...UInt8(ascii: "9"), isRepeated: true),
  ]

  private static func places(of name: String) -> [Place] {
    let shapes = [("{date}", "0000-00-00"), ("{start}", "00000000T000000Z")]
    var (rest, places) = (Substring(name), [Place]())
    while !rest.isEmpty {
      if let (mark, shape) = shapes.first(where: { rest.hasPrefix($0.0) }) {
        places += shape.utf8.map {
          Place(bytes: $0 == UInt8(ascii: "0") ? $0...UInt8(ascii: "9") : $0...$0)
        }
        rest = rest.dropFirst(mark.count)
      } else {
        places += String(rest.removeFirst()).utf8.map { Place(bytes: $0...$0) }
      }
    }
    return places
  }

  private static func overlap(_ one: [Place], _ other: [Place]) -> Bool {
    // Search all pairs of positions that both names can reach with the same characters.
    var (reached, open) = (Set<[Int]>(), [[0, 0]])
    while let place = open.popLast() {
      guard reached.insert(place).inserted else { continue }
      let (i, j) = (place[0], place[1])
      if i == one.count, j == other.count { return true }
      if i < one.count, one[i].isRepeated { open.append([i + 1, j]) }
      if j < other.count, other[j].isRepeated { open.append([i, j + 1]) }
      guard i < one.count, j < other.count, one[i].bytes.overlaps(other[j].bytes) else { continue }
      open.append([one[i].isRepeated ? i : i + 1, other[j].isRepeated ? j : j + 1])
    }
    return false
  }
}
