// SPDX-License-Identifier: Apache-2.0

/// The names of the files that a sink may create: its own, with date and start, and numbered ones.
///
/// Full files get `.1` and so on after their name, a GPX track whose file is not its own gets `-2`
/// and so on before `.gpx`, and a database has files beside it.
struct SinkFileNames {
  /// One position of a name: one byte of a range, or any number of them.
  private struct Place {
    var bytes: ClosedRange<UInt8>
    var isRepeated = false
  }

  private let names: [[Place]]

  init(_ name: String, besides: [String] = []) {
    let whole = Self.places(of: name)
    var names = [whole]
    if name.hasSuffix(".gpx") {
      names.append(
        Self.places(of: String(name.dropLast(4)) + "-") + Self.number + Self.places(of: ".gpx"))
    }
    self.names =
      names + names.map { $0 + Self.places(of: ".") + Self.number }
      + besides.map { whole + Self.places(of: $0) }
  }

  /// Whether both may create a file of the same name.
  func meet(_ other: SinkFileNames) -> Bool {
    names.contains { one in other.names.contains { Self.meet(one, $0) } }
  }

  /// A number without leading zeros.
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

  private static func meet(_ one: [Place], _ other: [Place]) -> Bool {
    // How far both can have come by the same characters.
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
