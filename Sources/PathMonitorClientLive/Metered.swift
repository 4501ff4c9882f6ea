// SPDX-License-Identifier: Apache-2.0

internal import PathMonitorClient

/// Whether the default route is metered, with the numbers of NetworkManager's `NMMetered`.
enum Metered: Int32, Sendable {
  case unknown = 0
  case yes = 1
  case no = 2
  /// Guessed by NetworkManager from the kind of the device, or from its DHCP server.
  case guessedYes = 3
  case guessedNo = 4

  /// Returns whether an interface of a kind is metered.
  ///
  /// A setting of the user, or a guessed "yes", takes precedence over the kind of the interface.
  /// A guessed "no" is ignored, because NetworkManager has no information about modems that another
  /// program dials.
  func isExpensive(_ kind: NetworkPath.Interface.Kind) -> Bool {
    switch self {
    case .yes, .guessedYes: true
    case .no: false
    case .guessedNo, .unknown: kind == .cellular
    }
  }
}
