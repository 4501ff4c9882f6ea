// SPDX-License-Identifier: Apache-2.0

/// Texts from outside, made harmless for a terminal.
package enum TerminalText {
  /// A text with a picture in place of each character that a terminal would obey.
  ///
  /// Control characters, line ends and what turns the direction of writing: a device or a provider
  /// could else move the cursor, or make a line read as another.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - keepingNewlines: Whether `\n` stays, for a text whose lines are told apart later.
  /// - Returns: A text in which nothing acts.
  package static func visible(_ text: String, keepingNewlines: Bool = false) -> String {
    func acts(_ scalar: Unicode.Scalar) -> Bool {
      isActing(scalar) && !(keepingNewlines && scalar == "\n")
    }
    guard text.unicodeScalars.contains(where: acts) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      shown.unicodeScalars.append(acts(scalar) ? picture(of: scalar) : scalar)
    }
    return shown
  }

  private static func isActing(_ scalar: Unicode.Scalar) -> Bool {
    if (0x20..<0x7F).contains(scalar.value) { return false }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    // U+2400 SYMBOL FOR NULL and those after it are in the order of ASCII.
    case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7F: "\u{2421}"
    default: "\u{FFFD}"
    }
  }
}
