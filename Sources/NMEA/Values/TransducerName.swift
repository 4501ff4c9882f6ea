// SPDX-License-Identifier: Apache-2.0

/// The name of a transducer in upper case, stored inline without an allocation.
public struct TransducerName: Equatable, Sendable, CustomStringConvertible {
  /// The number of bytes kept; further bytes are dropped.
  public static let capacity = 14

  private var storage: [14 of UInt8] = .init(repeating: 0)

  init() {}

  /// The byte at an index below ``capacity``; 0 after the end of the name.
  subscript(index: Int) -> UInt8 {
    get { storage[index] }
    set { storage[index] = newValue }
  }

  /// Returns whether the first ``capacity`` bytes of the name equal `text`, which is in upper case.
  public func matches(_ text: StaticString) -> Bool {
    for index in 0..<Self.capacity {
      let byte = index < text.utf8CodeUnitCount ? text.utf8Start[index] : 0
      if storage[index] != byte { return false }
    }
    return true
  }

  /// Two values are equal if they contain the same bytes.
  public static func == (left: TransducerName, right: TransducerName) -> Bool {
    for index in 0..<capacity where left.storage[index] != right.storage[index] { return false }
    return true
  }

  /// The name, with `?` for unprintable bytes.
  public var description: String {
    var text = ""
    for index in 0..<Self.capacity where storage[index] != 0 {
      text.unicodeScalars.append(PrintableASCII.scalar(storage[index]))
    }
    return text
  }
}
