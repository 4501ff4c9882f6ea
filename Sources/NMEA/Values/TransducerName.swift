// SPDX-License-Identifier: Apache-2.0

/// The name of a transducer in upper case, held without allocation.
public struct TransducerName: Equatable, Sendable, CustomStringConvertible {
  /// Number of bytes kept; those after them are dropped.
  public static let capacity = 14

  private var storage: [14 of UInt8] = .init(repeating: 0)

  init() {}

  /// The byte at an index below ``capacity``; 0 after the end of the name.
  subscript(index: Int) -> UInt8 {
    get { storage[index] }
    set { storage[index] = newValue }
  }

  /// Whether the name is an ASCII text, whatever the case of the sender's letters.
  ///
  /// - Parameter text: The text in upper case.
  /// - Returns: Whether the first ``capacity`` bytes of both are the same.
  public func matches(_ text: StaticString) -> Bool {
    for index in 0..<Self.capacity {
      let byte = index < text.utf8CodeUnitCount ? text.utf8Start[index] : 0
      if storage[index] != byte { return false }
    }
    return true
  }

  /// Two are equal when they hold the same bytes.
  public static func == (left: TransducerName, right: TransducerName) -> Bool {
    for index in 0..<capacity where left.storage[index] != right.storage[index] { return false }
    return true
  }

  /// The name; `?` stands for what is not printable.
  public var description: String {
    var text = ""
    for index in 0..<Self.capacity where storage[index] != 0 {
      text.unicodeScalars.append(PrintableASCII.scalar(storage[index]))
    }
    return text
  }
}
