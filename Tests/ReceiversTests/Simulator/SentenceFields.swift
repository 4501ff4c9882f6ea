// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

/// A sentence split into fields without Fixcast's parser, to test the simulator independently.
struct SentenceFields: Equatable {
  var address: String
  var fields: [String]

  /// Splits a stream into sentences; records an issue for each malformed sentence.
  static func split(_ bytes: [UInt8]) -> [SentenceFields] {
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasSuffix("\r\n"))
    // A CRLF is one character of a Swift string.
    return text.split(separator: "\r\n").compactMap { line in
      let parts = line.dropFirst().split(separator: "*", omittingEmptySubsequences: false)
      guard line.first == "$", parts.count == 2, let sum = UInt8(parts[1], radix: 16),
        parts[1].count == 2
      else {
        Issue.record("malformed: \(line)")
        return nil
      }
      #expect(parts[0].utf8.reduce(0, ^) == sum, "\(line)")
      #expect(line.utf8.count + 2 <= 82, "\(line)")
      let fields = parts[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return SentenceFields(address: fields.first ?? "", fields: fields)
    }
  }

  /// Returns the signed degrees of `ddmm.mmmmm` and a hemisphere.
  func degrees(at index: Int) -> Double? {
    guard index + 1 < fields.count, let value = Double(fields[index]) else { return nil }
    let whole = (value / 100).rounded(.down)
    let degrees = whole + (value - whole * 100) / 60
    return ["S", "W"].contains(fields[index + 1]) ? -degrees : degrees
  }

  /// Returns the coordinate in four fields from an index.
  func coordinate(at index: Int) -> Coordinate? {
    guard let latitude = degrees(at: index), let longitude = degrees(at: index + 2) else {
      return nil
    }
    return Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
  }

  func number(_ index: Int) -> Double? {
    index < fields.count ? Double(fields[index]) : nil
  }
}
