// SPDX-License-Identifier: Apache-2.0

import NMEA
import Testing

/// A sentence with one malformed field, and the expected error.
struct Flaw: CustomTestStringConvertible, Sendable {
  var body: String
  var kind: SentenceError.Kind
  var field: Int
  var value: String
  var isRefusal: Bool

  init(
    _ body: String, _ kind: SentenceError.Kind, field: Int, _ value: String,
    refused isRefusal: Bool = false
  ) {
    self.body = body
    self.kind = kind
    self.field = field
    self.value = value
    self.isRefusal = isRefusal
  }

  var testDescription: String { "\(body): field \(field)" }

  /// Reads the sentence on line 3 of a stream, and checks all properties of the error.
  func check(sourceLocation: SourceLocation = #_sourceLocation) {
    let reading = Reading("\r\n\n" + line(body) + "\r\n")
    #expect(reading.errors.count == 1, sourceLocation: sourceLocation)
    #expect(reading.sentences.count == (isRefusal ? 0 : 1), sourceLocation: sourceLocation)
    let error = reading.errors.first
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
    #expect(error?.lineNumber == 3, sourceLocation: sourceLocation)
    #expect(error?.field == field, sourceLocation: sourceLocation)
    #expect(error?.value.description == value, sourceLocation: sourceLocation)
    #expect(error?.isRefusal == isRefusal, sourceLocation: sourceLocation)
    let address = body.split(separator: ",", maxSplits: 1).first.map(String.init)
    #expect(error?.address?.description == address, sourceLocation: sourceLocation)
  }
}
