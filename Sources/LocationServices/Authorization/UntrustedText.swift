// SPDX-License-Identifier: Apache-2.0

/// Text that a program supplied, made safe to show.
package enum UntrustedText {
  /// Returns whether a text contains characters that change how this or other text is shown.
  ///
  /// These are terminal controls, line ends, marks of writing direction, and invisible characters.
  package static func misleads(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: misleads)
  }

  /// Returns the text in quotation marks, with quotes and misleading characters escaped.
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

  /// Returns the text as one line without misleading characters, truncated if it is too long.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - maxBytes: The maximum length in bytes of UTF-8.
  /// - Returns: The text; empty if nothing readable is left.
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
    // The zero-width joiner and non-joiner are needed in some scripts and in emoji.
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    default: false
    }
  }
}
