// SPDX-License-Identifier: Apache-2.0

/// Computes the writes that extend a GPX file so that it is well-formed at every moment.
///
/// If the program is killed, the kernel can leave a write incomplete only at a page boundary, so
/// these writes do not cross page boundaries. To move the closing tags over a boundary, the new end
/// of the file is first written inside a processing instruction, which hides it from XML readers.
/// After that, a single write replaces the old closing tags with blanks and makes the new end
/// visible.
enum GPXTail {
  /// Bytes to write at an offset of the file.
  struct Write: Equatable, Sendable {
    var offset: Int
    var bytes: [UInt8]
    var end: Int { offset + bytes.count }
  }

  /// The smallest page size of any system.
  static let pageSize = 4096
  /// Begins a processing instruction, which hides all bytes up to `hidingEnd`.
  private static let hiding = Array("<?fixcast".utf8)
  private static let hidingEnd = Array(" ?>\n".utf8)
  private static let closing = Array(GPXText.closing.utf8)

  /// The maximum size of the text and the closing tags, in bytes, for a safe move over a boundary.
  static let limit = pageSize / 2

  /// Returns the writes, in order, that insert text before the closing tags, and the new offset of
  /// the closing tags.
  static func writes(adding text: [UInt8], at offset: Int) -> (writes: [Write], next: Int) {
    let border = (offset / pageSize + 1) * pageSize
    let whole = text + closing
    // Leave room on the page after the closing tags, so that the next end can be hidden there.
    if offset + whole.count + hiding.count + hidingEnd.count <= border {
      return ([Write(offset: offset, bytes: whole)], offset + text.count)
    }
    func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
      bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(count - bytes.count, 0))
    }
    let room = border - offset
    // Use a single write if a power cut left the end at an unusual offset, or if the text is long.
    // The file is then not well-formed if the program is killed during the write.
    guard room >= closing.count + hiding.count, whole.count <= limit else {
      return ([Write(offset: offset, bytes: whole)], offset + text.count)
    }
    // The text is followed by `<?fixcast ?>`. While the text is hidden, this `?>` ends the hiding
    // instruction. Later, `<?fixcast ?>` is an empty instruction.
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

  /// Returns the offset at which a track continues in an existing file.
  ///
  /// - Parameter tail: The last bytes of the file, at least two pages if the file is longer.
  /// - Returns: The offset in `tail` at which the closing tags are or must be written; `nil` if
  ///   there is neither a point nor a closing tag.
  static func resumption(in tail: [UInt8]) -> Int? {
    // Use the first closing tags: the text after them may contain hidden closing tags.
    if let start = tail.firstRange(of: closing.dropLast())?.lowerBound { return start }
    // A power cut may have removed the end and left an incomplete point.
    let point = Array("</trkpt>".utf8)
    var lastPointEnd: Int?
    var searchStart = tail.startIndex
    while let range = tail[searchStart...].firstRange(of: point) {
      lastPointEnd = range.upperBound
      searchStart = range.upperBound
    }
    return lastPointEnd
  }
}
