// SPDX-License-Identifier: Apache-2.0

/// The up to four satellites of a GSV sentence, stored inline without an allocation.
public struct SatellitesInView: Equatable, Sendable, RandomAccessCollection {
  private var storage: [4 of SatelliteInView] = .init(repeating: SatelliteInView(number: 0))
  private var used: UInt8 = 0

  init() {}

  /// Adds a satellite; a fifth satellite is dropped.
  mutating func append(_ satellite: SatelliteInView) {
    guard used < 4 else { return }
    storage[Int(used)] = satellite
    used &+= 1
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of satellites.
  public var endIndex: Int { Int(used) }

  /// The satellite at an index.
  public subscript(index: Int) -> SatelliteInView { storage[index] }

  /// Two values are equal if they contain the same satellites in the same order.
  public static func == (left: SatellitesInView, right: SatellitesInView) -> Bool {
    left.elementsEqual(right)
  }
}
