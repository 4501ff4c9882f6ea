// SPDX-License-Identifier: Apache-2.0

/// The reason why a device is not used.
public enum IgnoredReason: Equatable, Sendable, CustomStringConvertible {
  /// The configuration excludes the device.
  case excluded
  /// The USB ids are not in the catalog, and the configuration does not name the device.
  case unknown
  /// The device is a UART that the configuration does not name.
  case namedOnly
  /// The device is another port of a receiver that is already in use.
  case secondPort(of: String)
  /// The device is a modem's port that ModemManager does not mark as GPS port.
  case modem
  /// udevd has not run its rules yet; the device is reported again afterwards.
  case uninitialized

  /// The reason as text for messages.
  public var description: String {
    switch self {
    case .excluded: "excluded by configuration"
    case .unknown: "not a known receiver; used only if named"
    case .namedOnly: "used only if named"
    case .secondPort(let name): "second port of \(name)"
    case .modem: "modem port; not marked as GPS port by ModemManager"
    case .uninitialized: "udev has not finished initializing it"
    }
  }
}
