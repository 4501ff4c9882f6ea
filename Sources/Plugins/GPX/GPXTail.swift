// SPDX-License-Identifier: Apache-2.0

/// How the end of a GPX file moves on so that the file is whole at every moment.
///
/// A program that is killed can leave a write half done where it crosses from one page of memory
/// to the next, and only there: so no write here does. To carry the closing tags over such a
/// border, the new end is first written inside a processing instruction, where it means nothing,
/// and then the old end, which hides it, is blanked in one write.
enum GPXTail {
  /// Bytes for a place in the file.
  struct Write: Equatable, Sendable {
    var offset: Int
    var bytes: [UInt8]
    var end: Int { offset + bytes.count }
  }

  /// The smallest page there is.
  static let pageSize = 4096
  /// Hides what follows, up to `hidingEnd`.
  private static let hiding = Array("<?fixcast".utf8)
  private static let hidingEnd = Array(" ?>\n".utf8)
  private static let closing = Array(GPXText.closing.utf8)

  /// The most that can be added at a time.
  static let limit = pageSize / 2

  /// The writes that put something before the closing tags, in this order.
  static func writes(adding text: [UInt8], at offset: Int) -> (writes: [Write], next: Int) {
    let border = (offset / pageSize + 1) * pageSize
    let whole = text + closing
    // Behind the closing tags there always is room to hide the next end.
    if offset + whole.count + hiding.count + hidingEnd.count <= border {
      return ([Write(offset: offset, bytes: whole)], offset + text.count)
    }
    func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
      bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(count - bytes.count, 0))
    }
    let room = border - offset
    // Where a power cut has left an end in an odd place, or for something long: as good as can be.
    guard room >= closing.count + hiding.count, whole.count <= limit else {
      return ([Write(offset: offset, bytes: whole)], offset + text.count)
    }
    // Ended by what hides it as well as by itself: it is hidden once and shown once.
    let shown = whole + hiding + hidingEnd
    let hidden = padded(hiding, to: shown.count - hidingEnd.count) + hidingEnd
    return (
      [
        Write(offset: offset, bytes: padded(closing, to: room)),
        Write(offset: border, bytes: hidden),
        Write(offset: offset, bytes: padded(closing + hiding, to: room)),
        Write(offset: border, bytes: shown),
        Write(offset: offset, bytes: padded([], to: room)),
      ], border + text.count
    )
  }

  /// Where a track may go on in a file whose end is this.
  ///
  /// - Parameter tail: The last bytes of the file, at least two pages of a longer one.
  /// - Returns: Where in them the closing tags are or have to be put; `nil` where there is no
  ///   point and no closing tag.
  static func resumption(in tail: [UInt8]) -> Int? {
    // The first: another may be hidden behind it.
    if let start = tail.firstRange(of: closing.dropLast())?.lowerBound { return start }
    // A power cut may have taken the end, and left half a point.
    let point = Array("</trkpt>".utf8)
    var found: Int?
    var from = tail.startIndex
    while let range = tail[from...].firstRange(of: point) {
      found = range.upperBound
      from = range.upperBound
    }
    return found
  }
}
