// SPDX-License-Identifier: Apache-2.0

/// One part of a list of satellites in view: the content of one GSV sentence.
///
/// A sky consists of one list for each system and signal.
public struct SkyReport: Sendable {
  /// The maximum number of satellites.
  public static let capacity = 4

  /// The number of the list, which identifies a system and signal.
  public let group: UInt32
  /// The number of this part, from 1.
  public let part: Int
  /// The number of parts of the list.
  public let parts: Int
  /// Whether the sentence states that its list has no satellites.
  ///
  /// Not set for a part without known satellites of a list that has satellites.
  public var statesNone = false
  /// The number of satellites in this part.
  public private(set) var count = 0

  private var storage: [4 of Satellite] = .init(
    repeating: Satellite(id: SatelliteID(system: .gps, number: 0), rawNumber: 0))

  /// Makes a part without satellites.
  public init(group: UInt32, part: Int, parts: Int) {
    self.group = group
    self.part = part
    self.parts = parts
  }

  /// Adds a satellite; a fifth satellite is dropped.
  public mutating func append(_ satellite: Satellite) {
    guard count < Self.capacity else { return }
    storage[count] = satellite
    count &+= 1
  }

  /// The satellite at an index below ``count``.
  subscript(index: Int) -> Satellite { storage[index] }
}
