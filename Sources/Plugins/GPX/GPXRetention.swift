// SPDX-License-Identifier: Apache-2.0

/// Selects the old track files to remove.
///
/// The order of the files is determined by the date and time in their names, which come from the
/// receiver. Modification times are not used: the board's clock may have been wrong when a file was
/// written.
struct GPXRetention: Sendable {
  /// The file name without its folder, with its `{date}` and `{start}` placeholders.
  let pattern: String
  /// The number of files to keep in addition to the current one.
  let keepFiles: Int

  /// Selects the files to remove: the oldest files, if there are more files than the limit.
  ///
  /// - Parameters:
  ///   - names: The names in the folder.
  ///   - current: The name of the current file.
  /// - Returns: The names of the files to remove; never a name that does not match the pattern.
  func surplus(of names: [String], current: String) -> [String] {
    let others = names.compactMap { name in
      name == current ? nil : key(of: name).map { (name, $0) }
    }
    return others.sorted { $0.1 > $1.1 }.dropFirst(max(keepFiles, 0)).map(\.0)
  }

  /// The position of a file in the order of files; newer files compare greater.
  private struct SortKey: Comparable {
    /// The date and start time in the name.
    var stamp: String
    /// The rotation number: 0 for a file that was not rotated, 1 for the file rotated last.
    var number: Int

    static func < (one: SortKey, other: SortKey) -> Bool {
      one.stamp == other.stamp ? one.number > other.number : one.stamp < other.stamp
    }
  }

  /// Returns a file's position in the order of files; `nil` if the name does not match the pattern.
  private func key(of name: String) -> SortKey? {
    var (stem, number) = (name, 0)
    if let dot = name.lastIndex(of: "."), let rotated = Self.number(name[name.index(after: dot)...])
    {
      (stem, number) = (String(name[..<dot]), rotated)
    }
    if let stamp = stamp(of: stem) { return SortKey(stamp: stamp, number: number) }
    // A track whose name was used by another file has a number: `track-2.gpx`.
    let end = stem.hasSuffix(".gpx") ? ".gpx" : ""
    let body = stem.dropLast(end.count)
    guard let dash = body.lastIndex(of: "-"), Self.number(body[body.index(after: dash)...]) != nil,
      let stamp = stamp(of: body[..<dash] + end)
    else { return nil }
    return SortKey(stamp: stamp, number: number)
  }

  /// Returns the values of `{date}` and `{start}` in a name; `nil` if the name does not match the
  /// pattern.
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

  /// Whether a text has digits where the shape has `0`, and equals the shape otherwise.
  private static func fits(_ text: Substring, _ shape: String) -> Bool {
    text.count == shape.count
      && zip(text, shape).allSatisfy { $1 == "0" ? "0"..."9" ~= $0 : $0 == $1 }
  }

  /// Parses a positive number in its canonical form.
  private static func number(_ text: Substring) -> Int? {
    guard let number = Int(text), number > 0, String(number) == text else { return nil }
    return number
  }
}
