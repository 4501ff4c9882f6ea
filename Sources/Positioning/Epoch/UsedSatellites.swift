// SPDX-License-Identifier: Apache-2.0

/// The satellites that a solution uses: the content of one GSA sentence.
public struct UsedSatellites: Sendable {
  /// The maximum number of satellites.
  public static let capacity = 24

  /// The number of satellites.
  public private(set) var count = 0

  private var storage: [24 of SatelliteID] = .init(
    repeating: SatelliteID(system: .gps, number: 0))

  /// Makes an empty list.
  public init() {}

  /// Adds a satellite; a satellite beyond the capacity is dropped.
  public mutating func append(_ id: SatelliteID) {
    guard count < Self.capacity else { return }
    storage[count] = id
    count &+= 1
  }

  /// The satellite at an index below ``count``.
  subscript(index: Int) -> SatelliteID { storage[index] }
}
