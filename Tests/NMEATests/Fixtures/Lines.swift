// SPDX-License-Identifier: Apache-2.0

import NMEA

/// A sentence with its `$`, its checksum and no line ending.
func line(_ body: String) -> String { line([UInt8](body.utf8)) }

func line(_ body: [UInt8]) -> String {
  String(decoding: lineBytes(body), as: UTF8.self)
}

/// The same, of bytes that need not be text.
func lineBytes(_ body: [UInt8]) -> [UInt8] {
  let sum = body.reduce(0, ^)
  let digits = Array("0123456789ABCDEF".utf8)
  return [0x24] + body + [0x2A, digits[Int(sum >> 4)], digits[Int(sum & 15)]]
}

/// What a reader makes of one sentence, given without `$` and checksum.
func read(_ body: String) -> Reading { Reading(line(body) + "\r\n") }

/// The names of the fields that are known, of a sentence or anything else.
func knownFields<Value>(of value: Value) -> [String] {
  Mirror(reflecting: value).children.compactMap { label, field in
    switch field {
    case let number as Known where number.wrappedValue == nil: nil
    case let optional as any OptionalField where optional.isNil: nil
    default: label
    }
  }
}

private protocol OptionalField {
  var isNil: Bool { get }
}

extension Optional: OptionalField {
  fileprivate var isNil: Bool { self == nil }
}
