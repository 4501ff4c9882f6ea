// SPDX-License-Identifier: Apache-2.0

/// Makes untrusted text safe to print on a terminal.
package enum TerminalText {
  /// Replaces each unsafe character in a text by a visible symbol.
  ///
  /// Control characters, line ends and formatting characters, such as those that change the writing
  /// direction, are replaced. Otherwise a device or a provider could move the cursor or forge
  /// output.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - keepingNewlines: Whether to keep `\n`, for a text that is split into lines later.
  /// - Returns: The text with visible symbols instead of unsafe characters.
  package static func visible(_ text: String, keepingNewlines: Bool = false) -> String {
    func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
      isControl(scalar) && !(keepingNewlines && scalar == "\n")
    }
    guard text.unicodeScalars.contains(where: isReplaced) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      shown.unicodeScalars.append(isReplaced(scalar) ? symbol(for: scalar) : scalar)
    }
    return shown
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20..<0x7F).contains(scalar.value) { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func symbol(for scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    // From U+2400 SYMBOL FOR NULL on, the symbols are in the order of ASCII.
    case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    default: "\u{FFFD}"
    }
  }
}
