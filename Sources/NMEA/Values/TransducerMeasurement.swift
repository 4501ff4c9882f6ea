// SPDX-License-Identifier: Apache-2.0

/// One measurement of an XDR sentence.
public struct TransducerMeasurement: Equatable, Sendable {
  /// The value in ``unit``.
  @Known public var value: Double?
  /// The kind of quantity, such as `C` for a temperature and `P` for a pressure.
  public var type: UInt8
  /// The unit; 0 if none is stated.
  private var unitLetter: UInt8
  /// The name of the transducer; empty if none is stated.
  public var name: TransducerName

  init(type: UInt8, value: Double?, unit: UInt8?, name: TransducerName) {
    self.type = type
    self.value = value
    unitLetter = unit ?? 0
    self.name = name
  }

  /// The unit, such as `C` for degrees Celsius and `B` for bars; `nil` if none is stated.
  public var unit: UInt8? { unitLetter == 0 ? nil : unitLetter }
}
