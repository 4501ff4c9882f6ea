// SPDX-License-Identifier: Apache-2.0

/// What a program says of itself, for people to read beside what is not its word.
package enum ProgramWords {
  /// Whether a text holds what changes how it or its surroundings are shown: controls of a
  /// terminal, line ends, marks of writing direction, and what is not shown at all.
  ///
  /// - Returns: Whether.
  package static func misleads(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: misleads)
  }

  /// The text in quotation marks, with what could end or change it escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if misleads(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        if scalar == "\"" || scalar == "\\" { result += "\\" }
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The text as one line that misleads nobody, cut where it is longer than it may be.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - maxBytes: How many bytes of UTF-8 it may have.
  /// - Returns: What is left; empty where that is nothing to read.
  package static func plain(_ text: String, maxBytes: Int) -> String {
    var result = ""
    var count = 0
    for character in text {
      var piece = ""
      for scalar in character.unicodeScalars {
        if !misleads(scalar) {
          piece.unicodeScalars.append(scalar)
        } else if scalar.properties.generalCategory != .format {
          piece += " "
        }
      }
      count += piece.utf8.count
      guard count <= maxBytes else { break }
      result += piece
    }
    return result.contains { !$0.isWhitespace } ? result : ""
  }

  private static func misleads(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Letters are joined or not by these two, in some scripts and in pictures.
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    default: false
    }
  }
}
