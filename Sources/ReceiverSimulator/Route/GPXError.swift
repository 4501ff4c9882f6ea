// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Why a GPX file gives no route.
package struct GPXError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  package enum Kind: Equatable, Sendable {
    /// The file has more bytes than are read.
    case tooLarge(limit: Int)
    /// The file has more points than are kept.
    case tooManyPoints(limit: Int)
    /// There is no track point and no route point.
    case noPoints
    /// A point lacks its latitude or longitude.
    case missingAttribute(String)
    /// A latitude, longitude or elevation is not a number in its range.
    case badNumber(field: String, value: String)
    /// A tag, a comment or a quoted value does not end.
    case unfinished
  }

  /// What is wrong.
  package let kind: Kind
  /// The line on which it is, from 1.
  package let line: Int

  /// The error in one line: where, what, and the raw value.
  package var description: String {
    let what =
      switch kind {
      case .tooLarge(let limit): "more than \(limit) bytes"
      case .tooManyPoints(let limit): "more than \(limit) points"
      case .noPoints: "no track point (trkpt) and no route point (rtept)"
      case .missingAttribute(let name): "a point without \(name)"
      case .badNumber(let field, let value): "\(field) is '\(value)'"
      case .unfinished: "a tag, comment or value does not end"
      }
    return "GPX line \(line): \(what)"
  }
}
