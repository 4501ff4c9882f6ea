// SPDX-License-Identifier: Apache-2.0

/// The parts of a coordinate that a person typed.
enum CoordinateTokens {
  enum Token: Equatable {
    /// An unsigned number; `isWhole` if it has no decimal point.
    case number(Double, text: String, isWhole: Bool)
    /// A sign directly before a number.
    case minus
    case degrees, minutes, seconds
    /// N, S, E or W.
    case direction(Character)
    case comma
  }

  /// Splits a text into tokens; `nil` if a character has no meaning in a coordinate.
  ///
  /// `gaps` contains the indices of the tokens that follow a blank.
  static func split(_ text: String) -> (tokens: [Token], gaps: Set<Int>)? {
    var (tokens, gaps): ([Token], Set<Int>) = ([], [])
    // Two primes are a double prime.
    let characters = Array(text.replacing("''", with: "\"").replacing("′′", with: "\""))
    var index = 0
    while index < characters.count {
      let character = characters[index]
      switch character {
      case " ", "\t", "\u{A0}", "\u{202F}": gaps.insert(tokens.count)
      case ",": tokens.append(.comma)
      case "+": guard isDigit(characters, index + 1) else { return nil }
      case "-", "\u{2212}":
        guard isDigit(characters, index + 1) else { return nil }
        tokens.append(.minus)
      case "°", "º", "˚": tokens.append(.degrees)
      case "'", "′", "’", "´", "ʹ": tokens.append(.minutes)
      case "\"", "″", "”", "“", "ʺ": tokens.append(.seconds)
      case _ where isDirection(character):
        tokens.append(.direction(Character(character.uppercased())))
      case _ where isDigit(characters, index):
        let digits = characters[index...].prefix { ("0"..."9").contains($0) || $0 == "." }
        let number = String(digits)
        guard let value = Double(number) else { return nil }
        tokens.append(.number(value, text: number, isWhole: !number.contains(".")))
        index += digits.count - 1
      default: return nil
      }
      index += 1
    }
    return (tokens, gaps)
  }

  /// Whether a letter is N, S, E or W, in either case.
  static func isDirection(_ character: Character) -> Bool { "NSEWnsew".contains(character) }

  /// Whether a letter is a direction, or a mark that Unicode regards as a letter.
  static func isPartOfCoordinate(_ letter: Character) -> Bool {
    isDirection(letter) || "ºʹʺ".contains(letter)
  }

  /// Whether a number begins at the index.
  private static func isDigit(_ characters: [Character], _ index: Int) -> Bool {
    index < characters.count
      && (("0"..."9").contains(characters[index]) || characters[index] == ".")
  }
}
