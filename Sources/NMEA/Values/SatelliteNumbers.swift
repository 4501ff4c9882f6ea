// SPDX-License-Identifier: Apache-2.0

/// Up to 24 satellite numbers, stored inline without an allocation.
public struct SatelliteNumbers: Equatable, Sendable, RandomAccessCollection {
  /// The maximum number of elements.
  public static let capacity = 24

  private var storage: [24 of UInt16] = .init(repeating: 0)
  private var used: UInt8 = 0

  init() {}

  /// Adds a number; a number beyond the capacity is dropped.
  mutating func append(_ number: UInt16) {
    guard used < Self.capacity else { return }
    storage[Int(used)] = number
    used &+= 1
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of satellites.
  public var endIndex: Int { Int(used) }

  /// The number at an index.
  public subscript(index: Int) -> UInt16 { storage[index] }

  /// Two values are equal if they contain the same numbers in the same order.
  public static func == (left: SatelliteNumbers, right: SatelliteNumbers) -> Bool {
    left.elementsEqual(right)
  }
}
