// SPDX-License-Identifier: Apache-2.0

import Positioning

/// A place on the command line: a coordinate as people write it, or the name of a town.
enum PlaceArgument: Equatable, Sendable {
  /// A coordinate.
  case coordinate(Coordinate)
  /// A name to look up in the gazetteer.
  case name(String)

  /// The maximum length in bytes.
  static let maxBytes = 200

  /// A text that is no place, as a message for the user.
  struct Fault: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// Parses a text.
  ///
  /// A coordinate is a latitude and a longitude in decimal degrees or in degrees, minutes and
  /// seconds, with a sign or one of the letters N, S, E and W, separated by a comma or a blank. With
  /// letters, the longitude may be first. A text without digits, or with other letters, is a name.
  ///
  /// - Throws: `Fault` if the text is empty, too long, ambiguous, out of range or no coordinate.
  init(_ text: String) throws(Fault) {
    guard text.utf8.count <= Self.maxBytes else {
      throw Fault("a place has at most \(Self.maxBytes) bytes")
    }
    let text = String(text.drop { $0 == " " })
    guard text.contains(where: { $0 != " " }) else { throw Fault("the place is empty") }
    let isCoordinate =
      text.contains { $0.isASCII && $0.isNumber }
      && text.allSatisfy { !$0.isLetter || CoordinateTokens.isPartOfCoordinate($0) }
    self = isCoordinate ? .coordinate(try CoordinateText(text).coordinate()) : .name(text)
  }
}
