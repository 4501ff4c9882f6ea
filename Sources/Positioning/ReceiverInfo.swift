// SPDX-License-Identifier: Apache-2.0

/// What is known of a receiver besides its fixes.
public struct ReceiverInfo: Equatable, Hashable, Sendable {
  /// The name under which its fixes travel, such as its devnode.
  public var name: String
  /// The name that it keeps when it is plugged in again, here or elsewhere; `nil` where it has none.
  public var stableName: String?
  /// What reads it, by gpsd's names, such as `NMEA0183` or `u-blox`.
  public var driver: String?
  /// What it calls itself.
  public var model: String?
  /// The speed of its serial line in bits a second.
  public var baud: Int?
  /// Whether it is being read.
  public var isActive: Bool

  /// Makes a receiver of which only the name is known.
  ///
  /// - Parameters:
  ///   - name: The name under which its fixes travel.
  ///   - isActive: Whether it is being read.
  public init(name: String, isActive: Bool) {
    self.name = name
    self.isActive = isActive
  }
}
