// SPDX-License-Identifier: Apache-2.0

/// The up to five measurements of an XDR sentence, stored inline without an allocation.
public struct TransducerMeasurements: Equatable, Sendable, RandomAccessCollection {
  private var storage: [5 of TransducerMeasurement] = .init(
    repeating: TransducerMeasurement(type: 0, value: nil, unit: nil, name: TransducerName()))
  private var used: UInt8 = 0

  init() {}

  /// Adds a measurement; a sixth measurement is dropped.
  mutating func append(_ measurement: TransducerMeasurement) {
    guard used < 5 else { return }
    storage[Int(used)] = measurement
    used &+= 1
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of measurements.
  public var endIndex: Int { Int(used) }

  /// The measurement at an index.
  public subscript(index: Int) -> TransducerMeasurement { storage[index] }

  /// Two values are equal if they contain the same measurements in the same order.
  public static func == (left: TransducerMeasurements, right: TransducerMeasurements) -> Bool {
    left.elementsEqual(right)
  }
}
