// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning

/// A coordinate that a person typed, split into tokens.
///
/// Every reading is either certain or refused: `54,32` may be one number with a decimal comma, and
/// `154.32,10.13` is probably swapped.
struct CoordinateText {
  typealias Fault = PlaceArgument.Fault
  private typealias Token = CoordinateTokens.Token

  private let text: String
  private let tokens: [Token]
  private let gaps: Set<Int>

  /// The forms of a coordinate, for messages.
  static let forms = "54.32,10.13 or 54°19'N 10°8'E"

  /// Splits a text.
  ///
  /// - Throws: `Fault` if a character has no meaning in a coordinate.
  init(_ text: String) throws(Fault) {
    self.text = text
    guard let (tokens, gaps) = CoordinateTokens.split(text) else { throw Self.noCoordinate(text) }
    (self.tokens, self.gaps) = (tokens, gaps)
  }

  /// Returns the coordinate.
  ///
  /// - Throws: `Fault` if the text is ambiguous, out of range or no coordinate.
  func coordinate() throws(Fault) -> Coordinate {
    try refuseDecimalCommas()
    let directions = tokens.compactMap {
      if case .direction(let letter) = $0 { letter } else { nil }
    }
    var (latitude, longitude): (Double, Double)
    if directions.isEmpty {
      let halves = try halves()
      (latitude, longitude) = (try degrees(halves.0), try degrees(halves.1))
    } else {
      let parts = try lettered()
      guard directions.count == 2, let first = parts.first, let last = parts.last
      else { throw Self.noCoordinate(text) }
      let isLongitudeFirst = "EW".contains(first.direction)
      guard isLongitudeFirst != "EW".contains(last.direction) else { throw Self.noCoordinate(text) }
      latitude = isLongitudeFirst ? last.degrees : first.degrees
      longitude = isLongitudeFirst ? first.degrees : last.degrees
    }
    if let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) {
      return coordinate
    }
    // Adding zero turns -0 into 0.
    (latitude, longitude) = (latitude + 0, longitude + 0)
    if directions.isEmpty, abs(latitude) <= 180, abs(longitude) <= 90 {
      throw Fault(
        "\(latitude) is not a latitude (-90 to 90); if it is the longitude, type "
          + "\(longitude),\(latitude)")
    }
    throw Fault("\(text): a latitude is -90 to 90 degrees, and a longitude is -180 to 180")
  }

  private static func noCoordinate(_ text: String) -> Fault {
    Fault("\(text) is not a coordinate; type one such as \(forms), or the name of a town")
  }

  /// Throws if a comma may be a decimal comma: between two whole numbers, without a blank, of which
  /// the first may be a latitude.
  private func refuseDecimalCommas() throws(Fault) {
    var numbers: [String] = []
    var commaCount = 0
    for token in tokens {
      switch token {
      // In `54,32 10.13`, the first comma is a decimal comma.
      case .number(_, let text, isWhole: false) where numbers.count == 2 && commaCount == 1:
        numbers.append(text)
      case .number(_, let text, isWhole: true): numbers.append(text)
      case .comma: commaCount += 1
      case .minus: if numbers.count == 1 { return }
      default: return
      }
    }
    let sign = tokens.first == .minus ? "-" : ""
    let hasGap = tokens.indices.contains { gaps.contains($0) && $0 > 0 }
    if numbers.count == 2, commaCount == 1, !hasGap, Double(numbers[0]) ?? 0 <= 90 {
      throw Fault(
        "\(text) is ambiguous: type \(sign)\(numbers[0]).0,\(numbers[1]).0 for two numbers; a "
          + "number with a decimal comma is \(sign)\(numbers[0]).\(numbers[1]), and needs a second one"
      )
    }
    if numbers.count == 3, commaCount == 1, let comma = tokens.firstIndex(of: .comma),
      !gaps.contains(comma + 1)
    {
      throw Fault(
        "\(text) is ambiguous: type \(sign)\(numbers[0]).\(numbers[1]),\(numbers[2]) for a "
          + "decimal comma, or a degree sign after each number of degrees")
    }
    if numbers.count == 4, commaCount > 1 {
      throw Fault(
        "\(text) has decimal commas; type \(sign)\(numbers[0]).\(numbers[1]),"
          + "\(numbers[2]).\(numbers[3])")
    }
  }

  /// Returns the latitude and the longitude of a text without letters.
  private func halves() throws(Fault) -> (ArraySlice<Token>, ArraySlice<Token>) {
    let commas = tokens.indices.filter { tokens[$0] == .comma }
    if commas.count == 1 {
      return (tokens[..<commas[0]], tokens[(commas[0] + 1)...])
    }
    let isMarked = tokens.contains(.degrees)
    // Each half begins with its degrees: the only number, or the number before a degree sign.
    let starts = tokens.indices.filter { index in
      guard case .number = tokens[index] else { return false }
      return !isMarked || (index + 1 < tokens.count && tokens[index + 1] == .degrees)
    }
    guard commas.isEmpty, starts.count == 2 else { throw Self.noCoordinate(text) }
    let split = starts[1] > 0 && tokens[starts[1] - 1] == .minus ? starts[1] - 1 : starts[1]
    return (tokens[..<split], tokens[split...])
  }

  /// Returns the two halves of a text with letters, in their order.
  private func lettered() throws(Fault) -> [(degrees: Double, direction: Character)] {
    var result: [(Double, Character)] = []
    var part: [Token] = []
    var prefix: Character?
    func finish(_ letter: Character) throws(Fault) {
      let value = try degrees(part[...])
      guard !part.contains(.minus) else { throw Self.noCoordinate(text) }
      result.append(("SW".contains(letter) ? -value : value, letter))
      part = []
    }
    for (index, token) in tokens.enumerated() {
      switch token {
      case .direction(let letter):
        if index == 0 {
          prefix = letter
        } else if let before = prefix {
          try finish(before)
          prefix = letter
        } else {
          try finish(letter)
        }
      case .comma:
        // Only between the halves.
        let isBetween =
          prefix == nil
          ? part.isEmpty && result.count == 1
          : index + 1 < tokens.count && tokens[index + 1].isDirection
        guard isBetween else { throw Self.noCoordinate(text) }
      default: part.append(token)
      }
    }
    if let prefix { try finish(prefix) }
    guard part.isEmpty, result.count == 2 else { throw Self.noCoordinate(text) }
    return result
  }

  /// Returns the value of degrees, minutes and seconds, with or without their signs.
  private func degrees(_ tokens: ArraySlice<Token>) throws(Fault) -> Double {
    var rest = tokens
    let isNegative = rest.first == .minus
    if isNegative { rest = rest.dropFirst() }
    var value = 0.0
    var isWholeSoFar = true
    for (mark, divisor) in [(Token.degrees, 1.0), (.minutes, 60), (.seconds, 3600)] {
      guard case .number(let number, _, let isWhole)? = rest.first else { break }
      // Only the last number has a fraction, and minutes and seconds are below 60.
      guard isWholeSoFar, divisor == 1 || number < 60 else { throw Self.noCoordinate(text) }
      isWholeSoFar = isWhole
      value += number / divisor
      rest = rest.dropFirst()
      if rest.first == mark { rest = rest.dropFirst() }
    }
    guard rest.isEmpty, !tokens.isEmpty, tokens.last != .minus else {
      throw Self.noCoordinate(text)
    }
    return isNegative ? -value : value
  }
}

extension CoordinateTokens.Token {
  fileprivate var isDirection: Bool { if case .direction = self { true } else { false } }
}
