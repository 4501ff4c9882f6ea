// SPDX-License-Identifier: Apache-2.0

/// Why a device is left alone.
public enum IgnoredReason: Equatable, Sendable, CustomStringConvertible {
  /// The configuration says so.
  case excluded
  /// Its ids are not known, and nobody has named it.
  case unknown
  /// A plain UART is used only where the configuration names it.
  case namedOnly
  /// Another port of a receiver that is already in use.
  case secondPort(of: String)
  /// A modem's port that ModemManager does not say sends positions.
  case modem
  /// udev has not run its rules for it yet; told anew once it has.
  case uninitialized

  /// The reason, for people.
  public var description: String {
    switch self {
    case .excluded: "excluded by configuration"
    case .unknown: "not known to be a receiver; used when named"
    case .namedOnly: "used when named only"
    case .secondPort(let name): "second port of \(name)"
    case .modem: "a modem's port; ModemManager does not say that it sends positions"
    case .uninitialized: "udev is still at work on it"
    }
  }
}
