// SPDX-License-Identifier: Apache-2.0

/// A random number of 31 bits, made with the outbox of a board.
///
/// A board that lost its outbox begins again with sequence number 1 in another epoch.
package struct FleetEpoch: Hashable, Sendable {
  static let numbers: ClosedRange<Int64> = 1...0x7FFF_FFFF
  /// The valid sequence numbers, which JSON readers with floating point represent exactly.
  package static let sequences: ClosedRange<Int64> = 1...(1 << 53)

  package let number: Int64

  /// Creates an epoch; `nil` if the number is not from 1 to 2^31 - 1.
  package init?(_ number: Int64) {
    guard Self.numbers.contains(number) else { return nil }
    self.number = number
  }

  package init(using generator: inout some RandomNumberGenerator) {
    number = .random(in: Self.numbers, using: &generator)
  }
}
