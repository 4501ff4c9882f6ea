// SPDX-License-Identifier: Apache-2.0

/// A reproducible random number generator: SplitMix64.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed &>> 31)
  }

  mutating func number(in range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func happens(oneIn count: Int) -> Bool { number(in: 1...count) == 1 }

  /// Returns random offsets at which to split a number of bytes.
  mutating func cuts(of count: Int, upTo maximum: Int = 6) -> [Int] {
    (0..<number(in: 0...maximum)).map { _ in number(in: 0...count) }.sorted()
  }
}
