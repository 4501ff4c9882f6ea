// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// An error in a GPX file.
package struct GPXError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package enum Kind: Equatable, Sendable {
    /// The file has more bytes than the limit.
    case tooLarge(limit: Int)
    /// The file has more points than the limit.
    case tooManyPoints(limit: Int)
    /// The file has neither track points nor route points.
    case noPoints
    /// A point has no latitude or no longitude.
    case missingAttribute(String)
    /// A latitude, longitude or elevation is not a number or is out of range.
    case badNumber(field: String, value: String)
    /// A tag, comment or quoted value is not closed.
    case unfinished
  }

  /// The kind of the error.
  package let kind: Kind
  /// The line number, from 1.
  package let line: Int

  /// The line, the error and the raw value as one line.
  package var description: String {
    let problem =
      switch kind {
      case .tooLarge(let limit): "more than \(limit) bytes"
      case .tooManyPoints(let limit): "more than \(limit) points"
      case .noPoints: "no track points (trkpt) or route points (rtept)"
      case .missingAttribute(let name): "point without \(name)"
      case .badNumber(let field, let value): "\(field) is '\(value)', not a number in range"
      case .unfinished: "a tag, comment or value is not closed"
      }
    return "GPX line \(line): \(problem)"
  }
}
