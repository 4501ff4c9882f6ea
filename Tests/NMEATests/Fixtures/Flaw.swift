// SPDX-License-Identifier: Apache-2.0

import NMEA
import Testing

/// A sentence with one malformed field, and the expected error.
struct Flaw: CustomTestStringConvertible, Sendable {
  var body: String
  var kind: SentenceError.Kind
  var field: Int
  var isRefusal: Bool

  init(_ body: String, _ kind: SentenceError.Kind, at field: Int, refused isRefusal: Bool = false) {
    self.body = body
    self.kind = kind
    self.field = field
    self.isRefusal = isRefusal
  }

  var testDescription: String { "\(body): field \(field)" }

  /// Reads the sentence on line 3 of a stream, and checks all properties of the error.
  func check() {
    let reading = Reading("\r\n\n" + line(body) + "\r\n")
    #expect(reading.errors.count == 1)
    #expect(reading.sentences.count == (isRefusal ? 0 : 1))
    let error = reading.errors.first
    #expect(error?.kind == kind)
    #expect(error?.lineNumber == 3)
    #expect(error?.field == field)
    #expect(error?.isRefusal == isRefusal)
    let fields = body.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    #expect(error?.address?.description == fields[0])
    #expect(error?.value.description == (fields.indices.contains(field) ? fields[field] : ""))
  }
}
