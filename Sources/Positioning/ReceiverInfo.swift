// SPDX-License-Identifier: Apache-2.0

/// Information about a receiver.
public struct ReceiverInfo: Equatable, Hashable, Sendable {
  /// The source name in the receiver's fixes, such as its devnode.
  public var name: String
  /// A name that stays the same after replugging, even into another port; `nil` if none exists.
  public var stableName: String?
  /// The name of the driver, as in gpsd, such as `NMEA0183` or `u-blox`.
  public var driver: String?
  /// The model stated by the receiver.
  public var model: String?
  /// The speed of the serial line in bits per second.
  public var baud: Int?
  /// Whether the receiver is being read.
  public var isActive: Bool

  /// Makes the information with a name and a state.
  public init(name: String, isActive: Bool) {
    self.name = name
    self.isActive = isActive
  }
}
