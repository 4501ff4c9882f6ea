// SPDX-License-Identifier: Apache-2.0

/// Which of the files that a track has left behind are too many.
///
/// By their names alone, since the clock of a board may be wrong when it writes one: the day and the
/// start in a name come from the receiver.
struct GPXRetention: Sendable {
  /// The name without its folder, with `{date}` and `{start}` in it where they are wanted.
  let pattern: String
  /// How many are kept beside the one that is written.
  let keepFiles: Int

  /// Those that go.
  ///
  /// - Parameters:
  ///   - names: The names in the folder.
  ///   - current: The name of the file that is written.
  /// - Returns: The names of the oldest, beyond as many as are kept; never one of another pattern.
  func surplus(of names: [String], current: String) -> [String] {
    let left = names.compactMap { name in name == current ? nil : age(of: name).map { (name, $0) } }
    return left.sorted { $0.1 > $1.1 }.dropFirst(max(keepFiles, 0)).map(\.0)
  }

  /// What files are put in order by: the newer, the greater.
  private struct Age: Comparable {
    /// The day and the start, as they stand in the name.
    var stamp: String
    /// As which full file of its name it was moved away: 0 for not at all, and 1 for the last.
    var number: Int

    static func < (one: Age, other: Age) -> Bool {
      one.stamp == other.stamp ? one.number > other.number : one.stamp < other.stamp
    }
  }

  /// `nil` for a name that is none of the track's.
  private func age(of name: String) -> Age? {
    var (stem, number) = (name, 0)
    if let dot = name.lastIndex(of: "."), let moved = Self.number(name[name.index(after: dot)...]) {
      (stem, number) = (String(name[..<dot]), moved)
    }
    if let stamp = stamp(of: stem) { return Age(stamp: stamp, number: number) }
    // What was not ours was left alone, and the track got a number: `track-2.gpx`.
    let end = stem.hasSuffix(".gpx") ? ".gpx" : ""
    let body = stem.dropLast(end.count)
    guard let dash = body.lastIndex(of: "-"), Self.number(body[body.index(after: dash)...]) != nil,
      let stamp = stamp(of: body[..<dash] + end)
    else { return nil }
    return Age(stamp: stamp, number: number)
  }

  /// What stands in a name in the place of `{date}` and `{start}`; `nil` where it does not fit.
  private func stamp(of name: String) -> String? {
    var (rest, pattern, stamp) = (Substring(name), Substring(pattern), "")
    while !pattern.isEmpty {
      let shapes = [("{date}", "0000-00-00"), ("{start}", "00000000T000000Z")]
      if let (mark, shape) = shapes.first(where: { pattern.hasPrefix($0.0) }) {
        let text = rest.prefix(shape.count)
        guard Self.fits(text, shape) else { return nil }
        stamp += text
        (rest, pattern) = (rest.dropFirst(shape.count), pattern.dropFirst(mark.count))
      } else {
        guard rest.first == pattern.first else { return nil }
        (rest, pattern) = (rest.dropFirst(), pattern.dropFirst())
      }
    }
    return rest.isEmpty ? stamp : nil
  }

  /// Whether a text has digits where the shape has them, and the same everywhere else.
  private static func fits(_ text: Substring, _ shape: String) -> Bool {
    text.count == shape.count
      && zip(text, shape).allSatisfy { $1 == "0" ? "0"..."9" ~= $0 : $0 == $1 }
  }

  /// A number as we write it.
  private static func number(_ text: Substring) -> Int? {
    guard let number = Int(text), number > 0, String(number) == text else { return nil }
    return number
  }
}
