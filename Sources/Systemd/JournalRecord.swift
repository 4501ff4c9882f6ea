// SPDX-License-Identifier: Apache-2.0

/// An entry of the journal as its native protocol writes it.
///
/// Source: systemd's "Native Journal Protocol".
struct JournalRecord: Equatable, Sendable {
  private(set) var bytes: [UInt8] = []

  /// Adds a field.
  ///
  /// - Parameters:
  ///   - name: Its name; made one that the journal takes, see ``fieldName(_:)``.
  ///   - value: Its value, which may have several lines.
  mutating func append(_ name: String, _ value: String) {
    let value = Array(value.utf8)
    bytes.append(contentsOf: name.utf8)
    if value.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      let length = UInt64(value.count)
      for shift in stride(from: 0, to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
      }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes.append(contentsOf: value)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// A name that the journal takes: upper case letters, digits and underscores, at most 64, none of
  /// them an underscore or a digit at the beginning.
  ///
  /// Ours begin with `FIXCAST_`, so that none can pass for a field that the journal itself sets.
  static func fieldName(_ key: String) -> String {
    let letters = key.utf8.prefix(56).map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: UInt8(ascii: "_")
      }
    }
    return "FIXCAST_" + String(decoding: letters, as: UTF8.self)
  }
}
